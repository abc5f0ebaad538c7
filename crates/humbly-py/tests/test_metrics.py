"""Metrics on lists and arrays."""

import numpy as np
import pytest

import humbly
from humbly import metrics


def test_numbers_by_hand():
    confidence, correct = [0.95, 0.95, 0.25], [1, 0, 0]
    assert float(metrics.ece(confidence, correct)) == pytest.approx((0.45 * 2 + 0.25) / 3, abs=1e-12)
    assert float(metrics.brier(confidence, correct)) == pytest.approx((0.05**2 + 0.95**2 + 0.25**2) / 3, abs=1e-12)
    assert float(metrics.mcip(confidence, correct)) == pytest.approx(0.6, abs=1e-12)
    assert float(metrics.auroc(confidence, correct)) == pytest.approx(0.75, abs=1e-12)


def test_arrays_of_any_type_give_what_lists_give():
    confidence, correct = [0.5, 0.75, 1.0], [False, True, True]
    expected = metrics.ece(confidence, correct)
    assert metrics.ece(np.array(confidence, dtype=np.float32), np.array(correct)) == expected
    assert metrics.ece(np.array([0, 0.5, 0, 0.75, 0, 1.0])[1::2], np.array([0, 1, 1], dtype=np.int8)) == expected


def test_whole_percents_are_binned_as_whole_numbers():
    assert metrics.ece([10, 30, 70], [0, 0, 1], scale="percent").value == pytest.approx(0.7 / 3, abs=1e-12)


def test_what_is_no_probability_is_refused_with_its_place():
    for wrong in ([0.5, 95.0], [0.5, float("nan")], [0.5, None]):
        with pytest.raises(humbly.ParameterError, match="index 1"):
            metrics.brier(wrong, [1, 0])
    with pytest.raises(humbly.ParameterError, match="swapped"):
        metrics.brier([1, 0], [0.5, 0.9])
    with pytest.raises(humbly.ParameterError, match="pair"):
        metrics.brier([0.5], [1, 0])
    with pytest.raises(humbly.ParameterError, match="right-closed"):
        metrics.ece([0.5], [1], edges="round")
    with pytest.raises(humbly.ParameterError, match="unit or percent"):
        metrics.ece([0.5], [1], scale="auto")


def test_the_table_counts_what_it_leaves_out():
    with pytest.warns(humbly.HumblyWarning):
        [group] = metrics.calibration([0.9, None, float("nan"), 0.2], [1, 1, 0, 0], resamples=100)
    assert group["n"] == 2
    assert sum(group["left_out"].values()) == 2
    assert group["ece"].interval is not None
    assert group["mcip"].value == pytest.approx(0.2)


def test_attribution_by_hand():
    """N = 4, M = 6, TP_DU = 3, FP_DU = 2, TP_MU = 3, FP_MU = 1."""
    form = ["data_uncertain"] * 3 + ["model_uncertain"] + ["data_uncertain"] * 2 + ["model_uncertain"] * 3 + ["answer"]
    answerable, correct = [0] * 4 + [1] * 6, [0] * 10
    for f1, expected in (("released", 0.625), ("balanced", 0.646)):
        [group] = metrics.attribution(form, answerable, correct, f1=f1, resamples=100)
        assert group["scores"]["average"].value == pytest.approx(expected, abs=5e-4)


def test_agreement_and_comparison():
    result = metrics.agreement([1, 2, 1, 2], ["a", "a", "b", "b"], ["yes", "no", "yes", "no"])
    assert result["cohen_kappa"].value == 1.0
    compared = metrics.compare((["x", "y", "z"], [1, 0, 1]), (["z", "y", "x"], [1, 1, 1]), resamples=100)
    assert compared["difference"].value == pytest.approx(1 / 3)
    with pytest.raises(humbly.ParameterError, match="different lengths"):
        metrics.agreement([1], ["a", "b"], ["yes"])
