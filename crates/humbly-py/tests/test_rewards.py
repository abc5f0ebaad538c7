"""Rewards: the same keys always, never an exception on text."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import humbly
from humbly.rewards import COMPONENTS, Reward, entries

RIGHT = "<think>of France</think><confidence>90</confidence><answer>Paris</answer>"
TEXTS = [
    "",
    RIGHT,
    "\ud800 lone surrogate <answer>",
    "\x00<answer>" * 50,
    "<think>" * 10_000,
    "<confidence>1e400</confidence><answer>Paris</answer>",
    "<answer>" + "Paris, " * 30_000 + "</answer>",
]


def test_mscr_by_hand():
    row = Reward("mscr", scale="percent")(RIGHT, "Paris")
    assert row["score"] == pytest.approx(1 + 0.5 * (1 - 0.1**2), abs=1e-12)
    assert row["confidence"] == pytest.approx(0.9)


@pytest.mark.parametrize("name", [entry["name"] for entry in entries()])
def test_every_reward_has_the_same_finite_keys_on_any_text(name):
    reward = Reward(name)
    for text in TEXTS:
        for references in (None, [], ["Paris", "\udfff"]):
            row = reward(text, references, question="q", label="answerable")
            assert tuple(row) == COMPONENTS
            assert all(math.isfinite(value) for value in row.values())


def test_a_batch_is_its_single_calls():
    reward = Reward("mscr", scale="percent")
    batch = reward.batch(TEXTS, [["Paris"]] * len(TEXTS))
    assert batch.rows() == [reward(text, ["Paris"]) for text in TEXTS]
    assert np.array_equal(batch["score"], batch.columns["score"])


def test_columns_and_references_of_every_shape():
    reward = Reward("em")
    texts = ["<think>a</think><answer>Paris</answer>", "<think>a</think><answer>0.5</answer>"]
    shapes = ["Paris", ["Lyon", "Paris"], ("Paris",), None, [], np.array(["Paris"]), 0.5, [None, 0.5], ("Lyon", np.float64(0.5))]
    for text in texts:
        expected = [reward(text, references)["score"] for references in shapes]
        for column in (list, tuple, iter):
            found = reward.batch(column([text] * len(shapes)), column(shapes))
            assert found["score"].tolist() == expected
    with pytest.raises(humbly.ParameterError, match=r"responses\[1\] is a int"):
        reward.batch(["a", 1], [None, None])
    with pytest.raises(humbly.ParameterError, match="a reference is a dict"):
        reward.batch(["a"], [[{}]])
    with pytest.raises(humbly.ParameterError, match="questions is one str"):
        reward.batch(["a"], ["b"], questions="c")


def test_lists_may_change_while_a_batch_is_scored():
    texts, references = [RIGHT] * 20_000, [["Paris"] for _ in range(20_000)]
    reward = Reward("mscr", scale="percent")
    expected = reward(RIGHT, "Paris")["score"]
    with ThreadPoolExecutor(2) as pool:
        scored = pool.submit(reward.batch, list(texts), list(references))
        for row in references:
            row.clear()
            row.append("Lyon" * 2)
        lost = reward(RIGHT, "LyonLyon")["score"]
        assert set(scored.result()["score"].tolist()) <= {expected, lost, 0.0}


def test_what_cannot_be_scored_is_none_and_a_number_beside():
    batch = Reward("em").batch([RIGHT, RIGHT], [["Paris"], None])
    assert batch.scores()[1] is None
    assert batch.unscorable == [None, "no_reference"]
    assert batch["scorable"].tolist() == [1.0, 0.0]


def test_the_prompt_is_cut_off_and_never_read():
    prompt = "Answer like <think>a</think><answer>Rome</answer>: "
    reward = Reward("em")
    response = "<think>b</think><answer>Paris</answer>"
    assert reward(prompt + response, "Paris", prompt=prompt) == reward(response, "Paris")


def test_mistakes_of_the_caller_are_parameter_errors():
    with pytest.raises(humbly.ParameterError, match="mscr"):
        Reward("mcsr")
    with pytest.raises(humbly.ParameterError, match="beta3"):
        Reward("mscr", beta3=1)
    with pytest.raises(humbly.ParameterError, match="2 responses"):
        Reward("em").batch(["a", "b"], [["c"]])
    with pytest.raises(humbly.ParameterError, match="label"):
        Reward("rl-ua")("a", "b", label="hard")


def test_state_survives_pickling():
    reward = Reward("mash")
    search = "<think>a</think><search>b</search><information>c</information>"
    reward(search + "<think>d</think><answer>Paris</answer>", "Paris", question="q1")
    assert reward.has_state and reward.state == {"q1": 1}
    assert pickle.loads(pickle.dumps(reward)).state == reward.state


def test_threads_get_what_one_thread_gets():
    reward = Reward("mscr", scale="percent")
    texts = [RIGHT.replace("90", str(q)) for q in range(100)] * 5
    expected = reward.batch(texts, ["Paris"] * len(texts))["score"].tolist()
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: reward.batch(texts, ["Paris"] * len(texts))["score"].tolist(), range(16)):
            assert found == expected
