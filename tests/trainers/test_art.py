"""The scorer for ART on its own trajectories and groups."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from humbly.art import TrajectoryScorer
from humbly.rewards import COMPONENTS

RIGHT = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"


def test_trajectories_get_reward_and_metrics(met: Any) -> None:
    art = met("art", "openpipe-art")
    from openai.types.chat import ChatCompletionMessage
    from openai.types.chat.chat_completion import Choice

    def trajectory(text: str) -> Any:
        reply = ChatCompletionMessage(role="assistant", content=text)
        prompt = {"role": "user", "content": "Answer like <answer>Beijing</answer>. Capital of France?"}
        return art.Trajectory(
            messages_and_choices=[prompt, Choice(finish_reason="stop", index=0, message=reply)],
            metrics={"mine": 2},
        )

    scorer = pickle.loads(pickle.dumps(TrajectoryScorer("mscr", scale="percent")))
    texts = [RIGHT, RIGHT.replace("Paris", "Rome"), "no tag"]
    group = art.TrajectoryGroup([scorer(trajectory(text), ["Paris"]) for text in texts])
    assert [one.reward for one in group] == [pytest.approx(value) for value in (1.495, -0.405, -0.7)]
    assert group.trajectories[0].metrics == {
        "mine": 2,
        **{name: value for name, value in scorer.reward(RIGHT, "Paris").items() if name != "score"},
    }
    assert len(group.trajectories[0].metrics) == len(COMPONENTS)
    assert scorer(trajectory(RIGHT), None).metrics["scorable"] == 0.0
    # It survives ART's own serialisation.
    assert art.Trajectory.model_validate_json(group.trajectories[0].model_dump_json()).reward == pytest.approx(1.495)


def test_tool_text_is_information_and_an_empty_trajectory_is_scored(met: Any) -> None:
    art = met("art", "openpipe-art")
    messages = [
        {"role": "user", "content": "Capital?"},
        {"role": "assistant", "content": "<think>a</think><search>France</search>"},
        {"role": "user", "content": "<information><answer>Rome</answer></information>"},
        {"role": "assistant", "content": RIGHT},
    ]
    found = TrajectoryScorer("mscr", scale="percent")(art.Trajectory(messages_and_choices=messages), "Paris")
    assert found.reward == pytest.approx(1.495) and found.metrics["format_valid"] == 1.0
    assert TrajectoryScorer("em")(art.Trajectory(), "Paris").reward == 0.0
