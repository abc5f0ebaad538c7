"""Inspect AI and Inspect Scout: our verdicts with their citations, as a scorer, a scanner, and back in a log.

.. code-block:: python

    from inspect_ai import Task
    from humbly.inspect import ise_scorer

    Task(dataset=…, solver=…, scorer=ise_scorer())

:func:`ise_scorer` needs ``inspect-ai``, :func:`ise_scanner` needs ``inspect-scout`` too. What is undefined stays so: the
value is Inspect's mark for a sample without a score (NaN in a score, ``None`` in a result), which no metric counts, and
the reason stands in the metadata.
"""

from __future__ import annotations

from typing import Any

from humbly.inspect._log import write_scores
from humbly.inspect._scorer import ise_scorer
from humbly.inspect._verdicts import VERDICTS

__all__ = ["VERDICTS", "ise_scanner", "ise_scorer", "write_scores"]


def __getattr__(name: str) -> Any:
    # Scout is a package of its own: who only scores does not need it.
    if name == "ise_scanner":
        from humbly.inspect._scanner import ise_scanner

        return ise_scanner
    raise AttributeError(f"module `humbly.inspect` has no attribute `{name}`")
