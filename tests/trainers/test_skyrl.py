"""The environment for SkyRL, made by its own registry."""

from __future__ import annotations

from typing import Any

import pytest

import humbly
from humbly.rewards import COMPONENTS

FIRST = "<think>Which city?</think><search>capital of France</search> made-up results"
LAST = "<think>It says so.</think><confidence>90</confidence><answer>Paris</answer>"


@pytest.fixture
def make(met: Any, search_server: str) -> Any:
    gym = met("skyrl_gym", "skyrl-gym")
    from omegaconf import OmegaConf
    from skyrl_gym.envs.registration import register, registry

    if "humbly-search" not in registry:
        register(id="humbly-search", entry_point="humbly.skyrl:SearchEnv")

    def made(url: str = search_server, **extras: Any) -> Any:
        config = OmegaConf.create({"reward": "mscr", "settings": {"scale": "percent"}, "url": url, "attempts": 1})
        spec = {"method": "rule", "ground_truth": {"target": ["Paris"]}}
        return gym.make("humbly-search", env_config=config, extras={"reward_spec": spec, **extras})

    return made


def test_a_search_and_an_answer(make: Any) -> None:
    env = make()
    prompt, _ = env.init([{"role": "user", "content": "Answer like <answer>Beijing</answer>. Capital of France?"}])
    assert len(prompt) == 1
    step = env.step(FIRST)
    assert not step["done"] and step["reward"] == 0.0
    assert step["postprocessed_action"].endswith("</search>")
    assert step["observations"][0]["content"].startswith('\n\n<information>Doc 1(Title: "Paris")')
    step = env.step(LAST)
    assert step["done"] and step["reward"] == pytest.approx(1.495)
    metrics = env.get_metrics()
    assert tuple(metrics) == COMPONENTS and metrics["searches"] == 1.0 and metrics["format_valid"] == 1.0
    assert (
        type(env.unwrapped if hasattr(env, "unwrapped") else env).aggregate_metrics([metrics, metrics])["correct"]
        == 1.0
    )


def test_the_last_turn_ends_it_and_a_void_turn_is_told_so(make: Any) -> None:
    env = make(max_turns=2)
    assert "neither a search nor an answer" in env.step("I am lost.")["observations"][0]["content"]
    step = env.step("Still lost.")
    assert step["done"] and step["reward"] == pytest.approx(-0.7)


def test_a_dead_server_is_an_error_and_no_reward(make: Any) -> None:
    with pytest.raises(humbly.InputError, match="does not answer"):
        make(url="http://127.0.0.1:9/retrieve").step(FIRST)
