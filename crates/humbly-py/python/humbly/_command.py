"""The `humbly` command, as the wheel installs it."""

import os
import signal
import sys

from humbly import _humbly


def main() -> int:
    """Run the command line of this process and return its exit status."""
    # Rust never comes back to the interpreter, which would only note an interrupt.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A hook that the command installs must be found from any folder.
    return _humbly.main_from([os.path.abspath(sys.argv[0]), *sys.argv[1:]])
