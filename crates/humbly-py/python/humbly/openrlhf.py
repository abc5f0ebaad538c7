"""Rewards for OpenRLHF, in a file of yours that ``--reward.remote_url`` names:

.. code-block:: python

    from humbly.openrlhf import reward_function
    reward_func = reward_function("mscr", scale="percent")

OpenRLHF hands over prompt and response in one text with special tokens, logs an exception at level INFO and goes on
without a reward. So nothing is raised on a sample here; what cannot be scored is counted in ``extra_logs``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from humbly import _rollouts
from humbly._humbly import ParameterError
from humbly.rewards import COMPONENTS, Reward, Setting

__all__ = ["reward_function"]

_END = re.compile(r"(?:\s*(?:<\|[a-z_]+\|>|</s>|<eos>|<pad>|<end_of_turn>))+\s*\Z")


def _response(query: str, prompt: str) -> str | None:
    # The tokeniser may have put a token of its own in front of the prompt.
    start = query.find(prompt) if prompt else 0
    return None if start < 0 else _END.sub("", query[start + len(prompt) :])


def _answers(label: Any) -> tuple[list[str], str | None]:
    """The reference answers and the label of RL-UA out of OpenRLHF's one label."""
    if isinstance(label, dict) and "label" in label:
        return _rollouts.references(label.get("references", label)), label["label"]
    return _rollouts.references(label), None


def reward_function(name: str, /, **settings: Setting) -> Callable[..., dict[str, Any]]:
    """``reward_func(queries, prompts, labels)`` for OpenRLHF.

    :param name: one of :func:`humbly.rewards.entries`.
    :param settings: settings of the reward.
    :returns: a function that gives ``rewards`` and ``scores`` (0 or 1, the accuracy, by which OpenRLHF filters) as
        tensors ``[n]``, and every component in ``extra_logs``. A label is a text, a list of texts, or for ``rl-ua``
        ``{"references": …, "label": "data"}``. ``prompt_found`` is 0 where the prompt does not stand in the query:
        then the response is not known and the sample has no reward.
    """
    reward = Reward(name, state=None, **settings)
    tags = _rollouts.TagWatch()

    def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_: Any) -> dict[str, Any]:
        import torch

        n = len(queries)
        if not len(prompts) == len(labels) == n:
            raise ParameterError(f"{n} queries, {len(prompts)} prompts and {len(labels)} labels, expected as many")
        responses = [_response(query, prompt) for query, prompt in zip(queries, prompts)]
        tags.see(response for response in responses if response is not None)
        answers = [_answers(label) for label in labels]
        batch = reward.batch(
            ["" if response is None else response for response in responses],
            # Without the response nothing can be scored, so there is nothing to compare with.
            [None if response is None else known for response, (known, _) in zip(responses, answers)],
            questions=list(prompts),
            labels=[None if response is None else label for response, (_, label) in zip(responses, answers)],
        )
        found = [float(response is not None) for response in responses]
        logs = {component: torch.tensor(batch[component].tolist()) for component in COMPONENTS}
        return {
            "rewards": torch.tensor(batch["score"].tolist()),
            "scores": torch.tensor(batch["correct"].clip(0.0, 1.0).tolist()),
            "extra_logs": {**logs, "prompt_found": torch.tensor(found)},
        }

    return reward_func
