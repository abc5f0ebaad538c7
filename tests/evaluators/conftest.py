"""Set before any of the packages is imported: no telemetry, no display that takes the terminal."""

from __future__ import annotations

import os

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "INSPECT_DISPLAY": "none", "SCOUT_DISPLAY": "none"}
