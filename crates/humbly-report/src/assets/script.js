(() => {
  "use strict";
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  const theme = byId("theme");
  const dark = () => {
    const stated = root.dataset.theme;
    return stated ? stated === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  try { const kept = localStorage.getItem("humbly-theme"); if (kept) root.dataset.theme = kept; } catch { /* no storage */ }
  theme.hidden = false;
  name();
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("humbly-theme", root.dataset.theme); } catch { /* no storage */ }
    name();
  });

  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && byId(id);
    if (!target) return;
    let closed = false;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS" && !node.open) { node.open = true; closed = true; }
    }
    if (closed || target.tagName === "MARK") {
      target.scrollIntoView({ block: target.tagName === "MARK" ? "center" : "start" });
    }
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) setTimeout(reveal);
  });

  const filter = byId("filter");
  const kind = byId("kind");
  const shown = byId("shown");
  const rows = [...document.querySelectorAll("#list tbody tr")];
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const row of rows) {
      const text = row.dataset.text ??= row.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word))
        && (!kind.value || row.dataset.kind.split(" ").includes(kind.value));
      row.hidden = !fits;
      if (fits) n += 1;
    }
    shown.textContent = `${n} of ${rows.length}`;
  };
  if (rows.length > 0) {
    document.querySelector(".filters").hidden = false;
    filter.addEventListener("input", apply);
    kind.addEventListener("change", apply);
    apply();
  }
  reveal();
  addEventListener("load", reveal);
})();
