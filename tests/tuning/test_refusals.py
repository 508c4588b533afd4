from __future__ import annotations

import swapmeet as sm
from swapmeet.tuning.refusals import Refusal


def test_what_cannot_be_tried_is_told_once_and_before_the_first_trial(table, cheap):
    heard, done = [], []

    def listen(refusals):
        assert not done
        heard.append(refusals)

    sm.tune(
        table, ["noise:level=0.1|0.2|0.3", "sjppds:bins=3"], goal=cheap, limit={}, measures=[],
        repeats=1, final_repeats=1, workers=1, on_refusals=listen, on_progress=done.append,
    )  # fmt: skip
    (told,) = heard
    assert [(one.methods, one.settings, one.of) for one in told] == [(("noise",), 3, 3)]
    assert told[0].sentence.startswith("noise cannot mask 'sex'")
    assert done


def test_where_only_some_settings_are_refused_it_says_how_many():
    told = Refusal(("rwn",), 2, 5, "rwn: too few rows.").sentence
    assert told == "rwn (2 of 5 settings): too few rows."
