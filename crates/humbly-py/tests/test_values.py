"""What a value, undefined with a reason, and an error look like from Python."""

import math

import numpy as np
import pytest

import humbly
from humbly import Measured, Undefined, metrics


def test_undefined_never_becomes_a_number_or_a_truth_value():
    undefined = Undefined("no_wrong_answers")
    for convert in (float, int, bool, math.sqrt):
        with pytest.raises(TypeError, match="no_wrong_answers"):
            convert(undefined)
    with pytest.raises(TypeError):
        undefined or 0
    with pytest.raises(TypeError):
        undefined + 1
    with pytest.raises(TypeError):
        undefined < 1
    with pytest.raises(TypeError):
        np.asarray([undefined, 0.5], dtype=float)


def test_a_measured_number_without_value_says_why():
    measured = metrics.mcip([0.9, 0.8], [1, 1])
    assert not measured.is_defined
    assert measured.undefined.reason == "no_wrong_answers"
    with pytest.raises(TypeError, match="no_wrong_answers"):
        float(measured)
    assert measured.to_dict()["value"] is None


def test_measured_numbers_go_to_json_and_back():
    for measured in (metrics.brier([0.5], [1]), metrics.auroc([0.5], [1])):
        assert Measured.from_dict(measured.to_dict()) == measured


def test_all_exceptions_are_of_one_tree():
    assert issubclass(humbly.ParameterError, humbly.HumblyError)
    assert issubclass(humbly.InputError, humbly.HumblyError)
    assert humbly.__version__.count(".") == 2
