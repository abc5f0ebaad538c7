"""Rewards for verl: name this package as its custom reward function.

.. code-block:: shell

    reward.custom_reward_function.path=pkg://humbly.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.reward=mscr
    +reward.custom_reward_function.reward_kwargs.settings.scale=percent

:mod:`humbly.verl.agent_loop` runs rollouts with ``<search>`` tags, :mod:`humbly.verl.tools` is the same search as a
native tool. verl itself is imported by those two alone.
"""

from humbly.verl._score import KEYS, compute_score

__all__ = ["KEYS", "compute_score"]
