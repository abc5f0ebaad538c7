"""Runs the Python example that stands in the README, in the folder of the checkout."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
section = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Python\n")[1].split("\n## ")[0]
[example] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
exec(compile(example, "README.md", "exec"), {})
