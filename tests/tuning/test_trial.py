from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.tuning.trial import Setting, Trial

HYBRID = sm.PerColumn(parts=[(sm.RWN(k=3), ["a"]), (sm.SJPPDS(bins=4), ["b"])])
METHODS = [
    sm.RWN(k=7, eps=0.25, weights={"sex": 0.5}),
    sm.MEWS(columns=["a", "b"], bins={"a": 3, "b": 2}),
    sm.Microaggregation(by="pca"),
    HYBRID,
]


@pytest.mark.parametrize("method", METHODS)
def test_a_setting_makes_its_method_again_also_after_json_and_pickle(method):
    setting = Setting.of(method)
    assert setting.method == method
    again = Setting(*json.loads(setting.key))
    assert again == setting
    assert hash(again) == hash(setting)
    assert again.method == method
    assert pickle.loads(pickle.dumps(setting)) == setting


def test_the_order_of_parameters_makes_no_other_setting():
    one, two = Setting("rwn", {"k": 5, "q": 0.5}), Setting("rwn", {"q": 0.5, "k": 5})
    assert one == two
    assert len({one, two}) == 1
    assert one != Setting("rwn", {"k": 6, "q": 0.5})
    assert one != "rwn"


def test_the_label_tells_what_is_tried_and_what_differs_from_the_defaults():
    assert Setting.of(sm.SJPPDS(bins=20)).label == "sjppds bins=20"
    assert Setting.of(sm.RWN(k=5, q=0.25, eps=0.1)).label == "rwn k=5 eps=0.1 q=0.25 weights=1"
    assert Setting.of(sm.Noise(level=0.1 + 0.2)).label.startswith("noise level=0.3 ")
    assert Setting.of(METHODS[1]).label == "mews columns=a,b bins=a:3,b:2"


def test_a_trial_survives_json():
    values, ends = {"dbrl": 0.1 + 0.2, "pil": np.nan, "margins": 0.2}, {"dbrl": 0.4, "margins": 0.2}
    trial = Trial(Setting.of(HYBRID), 3, 1.25, values, ends=ends)
    written = json.loads(json.dumps(trial.to_dict(), allow_nan=False))
    assert written["ends"] == {"dbrl": 0.4}
    again = Trial.from_dict(written)
    assert (again.setting, again.repeat, again.seconds) == (trial.setting, 3, 1.25)
    assert again.values["dbrl"] == 0.1 + 0.2
    assert np.isnan(again.values["pil"])
    assert again.owned


def test_figures_by_sorting_in_the_place_of_others_are_left_out_of_old_journals():
    values = {"dbrl": 0.01, "dbrl-sorted": 0.01, "margins": 0.2}
    old = {"method": "cart", "settings": {}, "repeat": 0, "seconds": 1.0, "values": values}
    assert Trial.from_dict({**old, "owned": True}).values == values
    synthetic = Trial.from_dict({**old, "owned": False})
    assert np.isnan(synthetic.values["dbrl"])
    assert (synthetic.values["dbrl-sorted"], synthetic.values["margins"]) == (0.01, 0.2)
    assert synthetic.ends == {}


def test_a_failed_trial_has_its_message_and_no_figures():
    trial = Trial(Setting.of(sm.RWN(k=5)), 0, 0.0, {}, "k is too large.")
    again = Trial.from_dict(trial.to_dict())
    assert again == trial
    assert "values" not in trial.to_dict()
