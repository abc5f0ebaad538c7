"""Measures whether LLM agents know what they do not know and say so.

- :func:`read` and :func:`score`: logs of agents as plain dicts, and the document of ``humbly score``;
- :mod:`humbly.metrics`: calibration, attribution, agreement, comparison on arrays;
- :mod:`humbly.rewards`: rewards for reinforcement learning, always the same numeric keys;
- :mod:`humbly.judges`: the lexical judge of single texts.

A value, undefined with a reason, and an error stay apart: :class:`Measured` holds a number or an
:class:`Undefined`, which no conversion turns into 0; a caller's mistake raises a :class:`HumblyError`.
"""

from humbly import judges, metrics, rewards
from humbly._humbly import HumblyError, InputError, ParameterError, __version__
from humbly._logs import HumblyWarning, formats, read, score
from humbly._measured import Interval, Measured, Undefined

__all__ = [
    "HumblyError",
    "HumblyWarning",
    "InputError",
    "Interval",
    "Measured",
    "ParameterError",
    "Undefined",
    "__version__",
    "formats",
    "judges",
    "metrics",
    "read",
    "rewards",
    "score",
]
