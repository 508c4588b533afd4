"""A messy survey, as an office would get it: cp1252, semicolons, codes, totals, households."""

from __future__ import annotations

import numpy as np
import pandas as pd

TOWNS = np.array(["Zürich", "Köln", "Graz", "Besançon"])
GROUPS = np.array(["0-14", "15-29", "30-44", "45-59", "60-74", "75+"])


def make_survey(households=300, seed=5):
    """People in households; every column that `inspect` can name is there."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, households)
    home = np.repeat(np.arange(households), sizes)
    rows = len(home)
    place = np.concatenate([np.arange(size) for size in sizes])
    region = rng.integers(0, 4, households)
    age = np.where(place < 2, rng.integers(25, 90, rows), rng.integers(0, 25, rows))
    wage, rent, pension = (rng.integers(0, most, rows) for most in (60_000, 5_000, 9_000))
    satisfied, hours = rng.integers(1, 6, rows), rng.integers(0, 61, rows)
    height, kilos = np.round(rng.normal(1.72, 0.09, rows), 2), np.round(rng.normal(72, 12, rows), 1)
    days, months = rng.integers(1, 28, rows), rng.integers(1, 13, rows)
    return pd.DataFrame(
        {
            "haushalt_nr": home + 1001,
            "region": TOWNS[region][home],
            "bezirk": (region * 100 + rng.integers(1, 9, households))[home],
            "stellung": np.select([place == 0, place == 1], ["Kopf", "Partner"], "Kind"),
            "alter": age,
            "altersgruppe": GROUPS[np.minimum(age // 15, 5)],
            "geburtsdatum": [
                f"{d:02d}.{m:02d}.{2026 - a}" for d, m, a in zip(days, months, age, strict=True)
            ],
            "gewicht": np.round(rng.gamma(5, 40, households) + 50, 3)[home],
            "lohn": wage,
            "miete": rent,
            "rente": pension,
            "einkommen": wage + rent + pension,
            "vermoegen": [f"{v:,}".replace(",", ".") for v in rng.integers(1_000, 2_500_000, rows)],
            "wasser": rng.choice(["ja", "nein"], households)[home],
            "zufriedenheit": np.where(rng.random(rows) < 0.08, -9, satisfied),
            "stunden": np.where(rng.random(rows) < 0.06, 999, hours),
            "groesse": height,
            "kilo": kilos,
            "bmi": np.round(kilos / height**2, 1),
            "land": "CH",
        }
    )


def write_survey(path, **settings):
    """The survey as a text of cp1252 with semicolons and decimal commas."""
    make_survey(**settings).to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False)
    return path
