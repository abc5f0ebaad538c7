//! Opens the report in a real browser, follows a link to a trajectory and finds the marked quote.
//!
//! Needs `chromium` and `chromedriver`; skips with a message without them unless `HUMBLY_REQUIRE=all`.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "../examples/synthetic/mod.rs"]
mod synthetic;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use humbly_report::{ReportOptions, ReportWriter};
use serde_json::{Value, json};

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driver process; it ends with the test.
struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    fn start() -> Option<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(process.stdout.take()?).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        std::thread::spawn(move || lines.for_each(drop));
        let driver = Self { process, port: port.unwrap_or(0) };
        (driver.port > 0).then_some(driver)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let text = |error: std::io::Error| error.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(text)?;
        stream.set_read_timeout(Some(Duration::from_mins(1))).map_err(text)?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .map_err(text)?;
        // The driver keeps the connection open: the length says where the reply ends.
        let mut reply = BufReader::new(stream);
        let mut line = String::new();
        reply.read_line(&mut line).map_err(text)?;
        let is_ok = line.contains(" 200");
        let mut length = 0;
        while line.trim() != "" {
            line.clear();
            reply.read_line(&mut line).map_err(text)?;
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(|_| "no length".to_owned())?;
            }
        }
        let mut body = vec![0; length];
        reply.read_exact(&mut body).map_err(text)?;
        let value: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        if is_ok { Ok(value["value"].clone()) } else { Err(value["value"].to_string()) }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Browser<'a> {
    driver: &'a Driver,
    session: String,
}

impl<'a> Browser<'a> {
    fn open(driver: &'a Driver, profile: &Path) -> Result<Self, String> {
        let arguments = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            format!("--user-data-dir={}", profile.display())
        ]);
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"}
        }}});
        let session = driver.call("POST", "/session", &capabilities)?;
        let session = session["sessionId"].as_str().ok_or("no session")?.to_owned();
        Ok(Self { driver, session })
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        self.driver.call("POST", &path, body).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    fn keys(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/value"), &json!({"text": text}));
    }

    fn size(&self, width: u32, height: u32) {
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
            }}),
        );
    }

    /// Waits for a script that returns true.
    fn wait(&self, script: &str) {
        for _ in 0..100 {
            if self.run(script) == Value::Bool(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("never true: {script}; at {}", self.run("return location.hash"));
    }
}

impl Drop for Browser<'_> {
    fn drop(&mut self) {
        let _ = self.driver.call("DELETE", &format!("/session/{}", self.session), &Value::Null);
    }
}

fn write_report(path: &Path) {
    let demo = synthetic::demo(true);
    let out = BufWriter::new(File::create(path).unwrap());
    let mut writer = ReportWriter::new(out, &demo.report, &ReportOptions::default()).unwrap();
    for (row, (trajectory, turns)) in demo.report.trajectories.iter().zip(&demo.trajectories) {
        writer.trajectory(trajectory, row, turns).unwrap();
    }
    writer.finish().unwrap();
}

const TARGET_IS_SEEN: &str = "
    const target = document.querySelector(':target');
    if (!target || target.tagName !== 'MARK' || !target.checkVisibility()) return false;
    const box = target.getClientRects()[0];
    const seen = document.elementFromPoint(box.left + 4, box.top + 4);
    return box.top >= 0 && box.bottom <= innerHeight && target.contains(seen);";

#[test]
fn a_reader_gets_from_the_list_to_the_marked_quote() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    write_report(&page);
    let opened = Driver::start();
    let browser = opened
        .as_ref()
        .ok_or_else(|| "chromedriver did not start".to_owned())
        .and_then(|driver| Browser::open(driver, &folder.path().join("profile")));
    let browser = match browser {
        Ok(browser) => browser,
        Err(reason) => {
            assert!(std::env::var("HUMBLY_REQUIRE").as_deref() != Ok("all"), "no browser: {reason}");
            eprintln!("skipped: no browser ({reason}); install chromium and chromium-driver");
            return;
        }
    };
    browser.size(1280, 900);
    browser.post("/url", &json!({"url": format!("file://{}", page.display())}));
    assert_eq!(browser.run("return document.title"), "Humbly report");

    browser.click("#list a.quote-link[href$='-identify']");
    browser.wait(TARGET_IS_SEEN);
    let quote = browser.run("return document.querySelector(':target').textContent");
    let quote = quote.as_str().unwrap();
    let demo = synthetic::demo(true);
    let first = demo.report.trajectories.iter().find(|row| row.identify.is_yes()).unwrap();
    assert_eq!(Some(quote), first.identify.quote.as_deref());

    browser.click("nav a[href='#trajectories']");
    browser.keys("#filter", "search-loop lab-notes");
    browser.wait("return document.getElementById('shown').textContent === '26 of 182'");
    assert_eq!(browser.run("return [...document.querySelectorAll('#list tbody tr')].filter((row) => row.checkVisibility()).length"), 26);

    let dark = "return getComputedStyle(document.body).backgroundColor";
    let before = browser.run(dark);
    browser.click("#theme");
    assert_ne!(browser.run(dark), before, "the theme did not change");

    for width in [390, 320] {
        browser.size(width, 844);
        assert_eq!(
            browser.run("return document.documentElement.scrollWidth <= innerWidth"),
            true,
            "at {width} px"
        );
    }
    browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
    assert_eq!(browser.run("return document.documentElement.scrollWidth <= innerWidth"), true, "all opened");

    let log = browser.post("/se/log", &json!({"type": "browser"}));
    assert_eq!(log.as_array().map(Vec::len), Some(0), "the browser complains: {log}");
}
