#!/usr/bin/env python3
"""Runs a harness's own program with the guard, against a scripted model on this machine.

    python3 play.py HARNESS PROGRAM HUMBLY [--without-guard] [--sub-agent] [--mode note] [--payloads FILE] [--keep FOLDER]

HARNESS is claude-code, codex, gemini-cli or openhands; PROGRAM its command (for openhands a Python that has
`openhands-sdk`); HUMBLY the `humbly` binary. The hook is entered by `humbly guard install HARNESS --project --yes`
into an empty folder with an empty home. Prints what the program answered, how often the model was asked, what the
guard logged and the transcript's turns; ends with status 1 where the guard did not ask exactly once and the second
answer did not tell.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import scripted_model as model

CODEX_CONFIG = """model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."{folder}"]
trust_level = "trusted"
"""


def command(harness, program, url, home, folder, prompt):
    """The command line and the environment of a run without a person."""
    if harness == "claude-code":
        arguments = ["-p", prompt, "--allowedTools", "Read", "Agent", "--model", "sonnet"]
        return [program, *arguments], {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none",
                                       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
    if harness == "codex":
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(CODEX_CONFIG.format(url=url, folder=folder))
        # Accepting the hook under /hooks needs a person.
        arguments = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
                     "--dangerously-bypass-hook-trust", prompt]
        return [program, *arguments], {"SCRIPTED_KEY": "none"}
    if harness == "gemini-cli":
        (home / ".gemini").mkdir()
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        (home / ".gemini/settings.json").write_text(json.dumps(chosen))
        # Settings of a folder that is not trusted are not read: --skip-trust comes too late for its hooks.
        (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(folder): "TRUST_FOLDER"}))
        arguments = ["--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p", prompt]
        return [program, *arguments], {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url,
                                       "GEMINI_TELEMETRY_ENABLED": "false"}
    script = pathlib.Path(__file__).with_name("openhands_run.py")
    prompt += "\n" + "".join(f"{name}: {text}" for name, text in model.PAGES.items())
    return [program, str(script), f"{url}/v1", str(folder), str(home), prompt], {}


def transcripts(home):
    """The program's own records, newest last."""
    patterns = [".claude/projects/*/*.jsonl", ".claude/projects/*/*/subagents/*.jsonl", ".codex/sessions/**/rollout-*.jsonl", ".gemini/tmp/*/chats/*.json*",
                ".openhands/conversations/*/events"]
    return sorted(path for pattern in patterns for path in home.glob(pattern))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harness", choices=["claude-code", "codex", "gemini-cli", "openhands"])
    parser.add_argument("program")
    parser.add_argument("humbly")
    parser.add_argument("--without-guard", action="store_true")
    parser.add_argument("--sub-agent", action="store_true", help="the question is left to one (Claude Code)")
    parser.add_argument("--mode", default="ask")
    parser.add_argument("--payloads", type=pathlib.Path, help="keeps what the program hands to the hook")
    parser.add_argument("--keep", type=pathlib.Path, help="an empty folder that stays, in place of a temporary one")
    arguments = parser.parse_args()
    temporary = tempfile.TemporaryDirectory(prefix="guard-play-")
    root = (arguments.keep or pathlib.Path(temporary.name)).resolve()
    home, folder = root / "home", root / "mill"
    home.mkdir(parents=True)
    folder.mkdir()
    for name, text in model.PAGES.items():
        (folder / name).write_text(text)
    humbly = str(pathlib.Path(arguments.humbly).resolve())
    base = {"PATH": os.environ["PATH"], "HOME": str(home)}

    def guard(*more):
        return subprocess.run([humbly, "guard", *more], cwd=folder, env=base, check=True, capture_output=True, text=True)

    if not arguments.without_guard:
        shown = guard("install", arguments.harness, "--project", "--yes", "--mode", arguments.mode)
        print(shown.stdout)
        if arguments.payloads:
            for settings in folder.glob(".*/*.json"):
                tee = f'"command": "tee -a {arguments.payloads.resolve()} | '
                settings.write_text(settings.read_text().replace('"command": "', tee))
    server = model.serve(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    prompt = model.DELEGATES if arguments.sub_agent else model.QUESTION
    line, environment = command(arguments.harness, arguments.program, url, home, folder, prompt)
    run = subprocess.run(line, cwd=folder, env=base | environment, stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=180)
    print(f"status {run.returncode}, the model was asked {server.requests} times; printed:\n{run.stdout.strip()}")
    print(run.stderr.strip()[-2000:], file=sys.stderr)
    entries = json.loads(guard("log", "--output", "json").stdout)["entries"]
    for entry in entries:
        shown = {key: entry["entry"].get(key) for key in ("harness", "event", "did", "why", "quotes")}
        print(json.dumps(shown | {"after": entry["after"]}, ensure_ascii=False))
    for path in transcripts(home):
        print(f"transcript {path.relative_to(root)}")
    if arguments.without_guard or arguments.mode != "ask":
        return 0
    asked = [entry for entry in entries if entry["entry"]["did"] == "asked"]
    return 0 if len(asked) == 1 and asked[0]["after"] == "told" else 1


if __name__ == "__main__":
    sys.exit(main())
