"""`python -m humbly`: the command."""

import sys

from humbly._command import main

sys.exit(main())
