"""What people pass by mistake, and what data frames and arrays hold: an error that says so, or the right number."""

import numpy as np
import pytest

import humbly
from humbly import judges, metrics
from humbly.rewards import Reward

CONFIDENCE, CORRECT = [0.9, 0.8, 0.3], [1, 0, 1]
RESPONSE = "<think>of France</think><confidence>0.9</confidence><answer>{}</answer>"


class NAType:
    """As the mark of pandas for a missing value."""


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8"])
def test_the_width_of_floats_moves_no_confidence_to_another_bin(dtype):
    confidence = np.array(CONFIDENCE, dtype=dtype)
    assert metrics.ece(confidence, CORRECT).value == pytest.approx(metrics.ece(CONFIDENCE, CORRECT).value, abs=1e-12)
    [row] = metrics.calibration(confidence, CORRECT, resamples=10)
    assert float(row["ece"]) == pytest.approx(metrics.ece(CONFIDENCE, CORRECT).value, abs=1e-12)


@pytest.mark.parametrize(
    "confidence", [[90, 80, 30], [0.9, float("nan"), 0.3], [0.9, None, 0.3], np.array(0.5), np.ones((3, 1)), 0.5, {"a": 1}]
    + [np.array(CONFIDENCE, dtype=complex), ["90%", "0.8", "0.3"], CONFIDENCE[:2]],
)
def test_what_is_no_column_of_probabilities_is_an_error(confidence):
    with pytest.raises(humbly.ParameterError):
        metrics.ece(confidence, CORRECT)


@pytest.mark.parametrize("confidence", [0.5, np.array(0.5), np.ones((3, 1)), "0.5"])
def test_tables_take_columns_alone(confidence):
    with pytest.raises(humbly.ParameterError, match="confidence"):
        metrics.calibration(confidence, CORRECT)
    with pytest.raises(humbly.InputError, match="no rows"):
        metrics.calibration([], [])


def test_missing_values_of_data_frames_are_left_out_and_counted():
    with pytest.warns(humbly.HumblyWarning):
        [row] = metrics.calibration([0.9, NAType(), float("nan")], CORRECT, resamples=10)
    assert (row["n"], sum(row["left_out"].values())) == (1, 2)


@pytest.mark.parametrize("name", ["bins", "seed", "resamples"])
@pytest.mark.parametrize("value", [-1, 2.5, None, 1 << 64])
def test_whole_numbers_are_checked(name, value):
    with pytest.raises(humbly.ParameterError, match=name):
        metrics.calibration(CONFIDENCE, CORRECT, **{name: value})
    if name != "bins":
        with pytest.raises(humbly.ParameterError, match=name):
            humbly.score("nowhere", **{name: value})


def test_one_text_is_no_column_of_letters():
    reward = Reward("em")
    for responses, references in [("ab", ["a", "b"]), (["a", "b"], "ab")]:
        with pytest.raises(humbly.ParameterError, match="one entry a response"):
            reward.batch(responses, references)
    assert judges.escalate("He was born in 1912.", candidates="1912").value is False


def test_what_is_no_text_is_named_by_its_index():
    reward = Reward("em")
    for bad in (None, float("nan"), b"bytes", 3):
        with pytest.raises(humbly.ParameterError, match=r"responses\[1\]"):
            reward.batch(["a", bad], ["x", "y"])
    with pytest.raises(humbly.ParameterError, match="bytes"):
        judges.identify(b"bytes")
    with pytest.raises(KeyError, match="no component"):
        reward.batch(["a"], ["x"])["rewards"]


def test_references_may_be_numbers_and_may_be_missing():
    reward = Reward("mscr", beta1=np.float32(0.5))
    response = RESPONSE.format(1912)
    for reference in (1912, np.int64(1912), [1912], ["x", 1912], np.array([1912]), [None, "1912"]):
        assert reward(response, reference)["correct"] == 1, reference
    for missing in (None, float("nan"), NAType(), [], [None]):
        batch = reward.batch([response], [missing])
        assert batch.scores() == [None] and batch.unscorable == ["no_reference"], missing


def test_an_undefined_number_is_none_in_every_operation():
    undefined = metrics.mcip([0.9], [1]).value
    operations = [
        lambda: undefined < 1, lambda: 1 > undefined, lambda: undefined + 1, lambda: sum([undefined]), lambda: 2 * undefined,
        lambda: round(undefined), lambda: float(undefined), lambda: undefined or 0, lambda: np.array([undefined], dtype=float),
    ]  # fmt: skip
    for operation in operations:
        with pytest.raises(TypeError, match="no_wrong_answers"):
            operation()
    assert f"{undefined:.3f}" == "undefined (no_wrong_answers)"
    assert f"{metrics.mcip([0.9], [1]):.3f}" == "undefined (no_wrong_answers)"
    assert f"{metrics.ece(CONFIDENCE, CORRECT):.2f}" == "0.53"
