"""An environment for SkyRL: ``<search>`` answered by ``<information>``, any of our rewards at the end.

Register it in the Ray task that starts the training, and name it in the column ``env_class``:

.. code-block:: python

    from skyrl_gym.envs import register
    register(id="humbly-search", entry_point="humbly.skyrl:SearchEnv")

Importing this module imports ``skyrl_gym``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from humbly import _rollouts
from humbly._retrieval import Retriever
from humbly._search_turns import INVALID, read_turn
from humbly.rewards import COMPONENTS, Reward

__all__ = ["SearchEnv"]


def _plain(config: Any) -> dict[str, Any]:
    return {} if config is None else {str(name): config[name] for name in config}


class SearchEnv(BaseTextEnv):
    """Up to ``max_turns`` turns; the reward comes with the last one.

    :param env_config: ``reward`` (default ``mscr``), its ``settings``, and of the search ``url``, ``topk``,
        ``timeout_seconds``, ``attempts``; a mapping or OmegaConf's.
    :param extras: the row: ``reward_spec.ground_truth``, ``max_turns`` (default 5), and in ``extra_info``
        ``question_id`` and ``label`` where a reward needs them.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        config, extras = _plain(env_config), extras or {}
        self.reward = Reward(config.get("reward", "mscr"), **_plain(config.get("settings")))
        server = {name: config[name] for name in ("url", "topk", "timeout_seconds", "attempts") if name in config}
        self.retriever = Retriever(**server)
        self.references = _rollouts.references(extras["reward_spec"]["ground_truth"])
        self.max_turns = int(extras.get("max_turns", 5))
        known = _plain(extras.get("extra_info"))
        self.question, self.label = known.get("question_id"), known.get("label")
        self.history: list[dict[str, str]] = []
        self.components: dict[str, float] = dict.fromkeys(COMPONENTS, 0.0)

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """One turn of the model. A search that fails for good raises :class:`humbly.InputError`."""
        self.turns += 1
        turn = read_turn(action)
        self.history.append({"role": "assistant", "content": turn.text})
        if turn.is_answer or self.turns >= self.max_turns:
            self.components = self.reward(
                _rollouts.response(self.history),
                self.references,
                question=None if self.question is None else str(self.question),
                label=self.label,
            )
            return self._output([], self.components["score"], done=True, text=turn.text)
        if turn.query is None:
            observation = INVALID
        else:
            [passages] = self.retriever([turn.query])
            observation = _rollouts.information(passages)
        message = {"role": "user", "content": observation}
        self.history.append(message)
        return self._output([message], 0.0, done=False, text=turn.text)

    @staticmethod
    def _output(messages: list[dict[str, str]], reward: float, *, done: bool, text: str) -> BaseTextEnvStepOutput:
        return BaseTextEnvStepOutput(
            observations=messages, reward=reward, done=done, metadata={}, postprocessed_action=text
        )

    def get_metrics(self) -> dict[str, float]:
        """The components of the last reward; SkyRL averages them."""
        return dict(self.components)
