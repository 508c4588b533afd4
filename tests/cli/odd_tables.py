"""Files as curators bring them, each odd in its own way; nothing in them is about anybody."""

from __future__ import annotations

import string

import numpy as np
import pandas as pd
from survey_files import make_businesses, make_households

from swapmeet import io


def _draw(seed=3):
    return np.random.default_rng(seed)


def _make_relatives(folder):
    """A household survey whose positions are many and mostly rare."""
    rng = _draw()
    sizes = rng.choice([1, 2, 3, 4, 6], 400)
    home = np.repeat(np.arange(400), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    others = rng.choice(
        [3, 4, 5, 6, 7, 8, 9], len(home), p=[0.8, 0.1, 0.05, 0.02, 0.01, 0.01, 0.01]
    )
    table = pd.DataFrame(
        {
            "hhid": home + 1,
            "relat": np.select([place == 0, place == 1], [1, 2], others),
            "age": rng.integers(0, 95, len(home)),
            "sex": rng.integers(1, 3, len(home)),
            "roof": rng.choice(["tile", "tin"], 400)[home],
            "income": rng.gamma(2, 900, len(home)).round(),
        }
    )
    table.to_csv(folder / "relat.csv", index=False)
    return folder / "relat.csv"


def _make_survey(folder):
    """Latin-1, semicolons, decimal commas, and umlauts in names."""
    table = make_households(300).rename(columns={"rooms": "Räume", "income": "Einkünfte"})
    table.to_csv(folder / "umfrage.csv", sep=";", decimal=",", encoding="latin-1", index=False)
    return folder / "umfrage.csv"


def _make_hospital(folder):
    """An SPSS file with dates, free text, labels, and codes for missing values."""
    import pyreadstat

    rng, n = _draw(), 400
    admitted = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    stay = pd.to_timedelta(rng.poisson(6, n), unit="D")
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 27_000, n), unit="D")
    height, weight = rng.normal(171, 9, n).round(), rng.normal(76, 13, n).round(1)
    words = np.array(["pain", "cough", "fever", "since", "days", "fall", "after", "and"])
    table = pd.DataFrame(
        {
            "patient_id": rng.permutation(n) + 70_000,
            "dob": born.date,
            "sex": rng.choice([1.0, 2.0], n),
            "admitted": admitted.date,
            "discharged": (admitted + stay).date,
            "days": stay.days.astype(float),
            "diagnosis": rng.choice(["I21.0", "J18.9", "S72.0", "K35.8"], n),
            "height": height,
            "weight": weight,
            "bmi": (weight / (height / 100) ** 2).round(1),
            "smoker": rng.choice([0.0, 1.0, 9.0], n, p=[0.6, 0.35, 0.05]),
            "note": [" ".join(rng.choice(words, 7)) for _ in range(n)],
        }
    )
    pyreadstat.write_sav(
        table, str(folder / "hospital.sav"),
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"},
                               "smoker": {0.0: "no", 1.0: "yes", 9.0: "refused"}},
    )  # fmt: skip
    return folder / "hospital.sav"


def _make_companies(folder, rows=900):
    """Eight totals, rounded each for itself, with a few that are wrong."""
    rng = _draw()
    parts = rng.lognormal(6, 1, (16, rows))
    columns = {"nace": rng.choice(["C10", "F41", "G46", "H49"], rows)}
    for number in range(8):
        one, other = parts[2 * number], parts[2 * number + 1]
        total = np.rint(one + other) + np.where(rng.random(rows) < 0.004, 40, 0)
        names = (f"a{number}", f"b{number}", f"sum{number}")
        columns |= dict(zip(names, (np.rint(one), np.rint(other), total), strict=True))
    pd.DataFrame(columns).to_csv(folder / "companies.csv", index=False)
    return folder / "companies.csv"


def _make_businesses(folder):
    """Exact sums, one of another, and weights, in Excel."""
    make_businesses(500).to_excel(folder / "business.xlsx", index=False)
    return folder / "business.xlsx"


def _make_tiny(folder):
    """Four people."""
    (folder / "tiny.csv").write_text("sex,town,age\nf,A,31\nm,A,42\nf,B,53\nm,B,28\n")
    return folder / "tiny.csv"


def _make_two_rows(folder):
    """Two people."""
    (folder / "pair.csv").write_text("sex,age\nf,31\nm,42\n")
    return folder / "pair.csv"


def _make_constants(folder):
    """One column that varies, and many that do not."""
    rng = _draw()
    table = pd.DataFrame(
        {"country": "CH", "year": 2026, "wave": 1.0, "age": rng.integers(18, 90, 90)}
    )
    table["sampling_weight"] = 1.0
    table.to_csv(folder / "constant.csv", index=False)
    return folder / "constant.csv"


def _make_wide(folder):
    """More columns than rows."""
    rng = _draw()
    table = pd.DataFrame(rng.normal(size=(60, 150)).round(2), columns=[f"q{n}" for n in range(150)])
    table.to_csv(folder / "wide.tsv", sep="\t", index=False)
    return folder / "wide.tsv"


def _make_texts(folder):
    """Nothing but words, some of them empty."""
    rng = _draw()
    table = pd.DataFrame(
        {
            "Beruf": rng.choice(["Arzt", "Bäcker", "Lehrer", None], 200),
            "Wohnort": rng.choice([f"Dorf {n}" for n in range(12)], 200),
            "Partei": rng.choice(["A", "B", "keine Angabe"], 200),
            "Stand": rng.choice(["ledig", "verheiratet"], 200),
        }
    )
    table.to_csv(folder / "texte.csv", index=False, encoding="cp1252")
    return folder / "texte.csv"


def _make_utf16(folder):
    """UTF-16 with tabs, as spreadsheets save it."""
    rng = _draw()
    table = pd.DataFrame(
        {"größe": rng.integers(150, 200, 80), "ort": rng.choice(["Köln", "Bonn"], 80)}
    )
    table.to_csv(folder / "export.txt", sep="\t", index=False, encoding="utf-16")
    return folder / "export.txt"


def _make_codes(folder):
    """Codes for missing values of all kinds, some of which are words among numbers."""
    rng, n = _draw(), 300
    income = rng.integers(500, 9_000, n).astype(object)
    income[rng.random(n) < 0.02] = "n/a"
    table = pd.DataFrame(
        {
            "income": income,
            "hours": np.where(rng.random(n) < 0.1, 999, rng.integers(0, 60, n)),
            "trust": np.where(rng.random(n) < 0.05, -9, rng.integers(1, 6, n)),
            "walls": rng.choice([1, 2, 3, 9], n),
            "vote": rng.choice(["left", "right", "refused"], n),
        }
    )
    table.to_csv(folder / "codes.csv", index=False)
    return folder / "codes.csv"


def _make_names(folder):
    """Direct identifiers everywhere."""
    rng, n = _draw(), 120
    table = pd.DataFrame(
        {
            "Name": [f"{a} {b}" for a, b in zip(rng.choice(list(string.ascii_uppercase), n),
                                                 rng.permutation(n), strict=True)],
            "email": [f"p{k}@example.org" for k in range(n)],
            "phone": [f"+41 79 {k:03d} {rng.integers(10, 99)} 00" for k in range(n)],
            "passport_no": rng.permutation(10**6)[:n],
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
        }
    )  # fmt: skip
    table.to_csv(folder / "names.csv", index=False)
    return folder / "names.csv"


def _make_strange_names(folder):
    """Names of columns with commas, quotes, spaces, operators and words of the program."""
    rng, n = _draw(), 200
    one, other = rng.integers(0, 90, n), rng.integers(0, 90, n)
    table = pd.DataFrame(
        {
            "a, b": one, "it's": other, "sum of both": one + other, "rest": rng.integers(0, 9, n),
            "--drop": rng.integers(0, 5, n), "x`y": rng.normal(size=n).round(3), "": one * 3 + 1,
            "$HOME": rng.choice(["u", "v"], n), "a:b": rng.choice([1, 2, 3, -9], n),
        }
    )  # fmt: skip
    table.to_csv(folder / "strange names.csv", index=False)
    return folder / "strange names.csv"


def _make_dates(folder):
    """Dates in a row, with times and gaps, and ages that follow from births."""
    rng, n = _draw(), 250
    begin = pd.Timestamp("2020-03-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    end = begin + pd.to_timedelta(rng.integers(1, 60, n), unit="D")
    table = pd.DataFrame(
        {
            "geburtsdatum": begin - pd.to_timedelta(rng.integers(7_000, 30_000, n), unit="D"),
            "begin": begin,
            "end": end.where(rng.random(n) > 0.1),
            "last_visit": end + pd.to_timedelta(rng.integers(0, 9_999, n), unit="min"),
            "score": rng.integers(0, 30, n),
        }
    )
    table.to_parquet(folder / "dates.parquet")
    return folder / "dates.parquet"


def _make_visits(folder):
    """Several rows for each person."""
    rng = _draw()
    person = np.repeat(np.arange(120), rng.integers(1, 6, 120))
    table = pd.DataFrame(
        {
            "patient_id": person + 500,
            "sex": rng.choice(["f", "m"], 120)[person],
            "birth_year": rng.integers(1930, 2005, 120)[person],
            "visit": rng.integers(1, 400, len(person)),
            "pressure": rng.normal(130, 15, len(person)).round(),
        }
    )
    table.to_csv(folder / "visits.csv", index=False)
    return folder / "visits.csv"


def _make_places(folder):
    """Nested places, the smallest with few rows, and codes for regions with leading zeros."""
    rng, n = _draw(), 500
    gemeinde = rng.integers(0, 60, n)
    table = pd.DataFrame(
        {
            "canton": [f"0{g // 20}" for g in gemeinde],
            "district": [f"0{g // 5:02d}" for g in gemeinde],
            "municipality": [f"00{g:02d}" for g in gemeinde],
            "age": rng.integers(0, 100, n),
            "age_group": [f"{5 * (a // 5)}+" for a in rng.integers(0, 100, n)],
            "rent": rng.gamma(3, 500, n).round(2),
        }
    )
    table["age_group"] = [f"{5 * (a // 5)}+" for a in table["age"]]
    table.to_csv(folder / "places.csv", index=False)
    return folder / "places.csv"


def _make_stata(folder):
    """A Stata file with labels, a weight and a household."""
    table = make_households(200).drop(columns=["district", "age_group"])
    io.write(folder / "panel.dta", table)
    return folder / "panel.dta"


def _make_exceptions(folder):
    """Age groups and bmis that are wrong in a few rows, and a birth date beside them."""
    rng, n = _draw(), 1_000
    age, height = rng.integers(18, 90, n), rng.normal(1.7, 0.1, n).round(2)
    weight = rng.normal(75, 14, n).round(1)
    group, bmi = 10 * (age // 10), (weight / height**2).round(1)
    wrong = rng.random(n) < 0.01
    table = pd.DataFrame(
        {
            "birth": pd.Timestamp("2026-01-01")
            - pd.to_timedelta(age * 365.25 + 100, unit="D").round("D"),
            "age": age,
            "age_group": np.where(wrong, 90, group),
            "height": height,
            "weight": weight,
            "bmi": np.where(wrong, 30.0, bmi),
        }
    )
    table.to_csv(folder / "exceptions.csv", index=False)
    return folder / "exceptions.csv"


def _make_gaps(folder):
    """Columns that are mostly or wholly empty, and infinite numbers."""
    rng, n = _draw(), 150
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "never": np.nan,
            "seldom": np.where(rng.random(n) < 0.02, 1.5, np.nan),
            "often": np.where(rng.random(n) < 0.7, rng.normal(size=n), np.nan),
            "yes": rng.choice([True, False], n),
        }
    )
    table.to_parquet(folder / "gaps.parquet")
    return folder / "gaps.parquet"


def _make_one_column(folder):
    """One column only."""
    (folder / "one.csv").write_text("age\n" + "\n".join(map(str, range(20, 90))) + "\n")
    return folder / "one.csv"


def _make_headless(folder):
    """No line with the names of the columns."""
    rng = _draw()
    table = pd.DataFrame({0: rng.integers(18, 90, 100), 1: rng.choice(["f", "m"], 100)})
    table.to_csv(folder / "headless.csv", index=False, header=False)
    return folder / "headless.csv"


def _make_sizes(folder):
    """A household file with line numbers, sizes, a weight per household and nobody alone."""
    rng = _draw()
    sizes = rng.choice([2, 3, 9], 90, p=[0.6, 0.38, 0.02])
    home = np.repeat(np.arange(90), sizes)
    table = pd.DataFrame(
        {
            "HH_ID": home,
            "line": np.concatenate([np.arange(1, size + 1) for size in sizes]),
            "hhsize": np.repeat(sizes, sizes),
            "hhweight": rng.gamma(5, 40, 90).round(2)[home],
            "region": rng.choice(["N", "S", "E"], 90, p=[0.9, 0.08, 0.02])[home],
            "edu": rng.integers(0, 6, len(home)),
            "wage": rng.gamma(2, 800, len(home)).round(-1),
        }
    )
    table.to_csv(folder / "sizes.csv.gz", index=False)
    return folder / "sizes.csv.gz"


def _make_doubles(folder):
    """Columns that hold the same, and rows that are there twice."""
    rng, n = _draw(), 100
    table = pd.DataFrame({"a": rng.normal(size=n).round(2), "sex": rng.choice(["f", "m"], n)})
    table["a_again"], table["gender"] = table["a"], table["sex"].map({"f": 1, "m": 2})
    pd.concat([table, table.head(10)]).to_csv(folder / "doubles.csv", index=False)
    return folder / "doubles.csv"


def _make_moved_homes(folder):
    """Households of which some lie in two regions, and whose members share other columns."""
    rng = _draw()
    home = np.repeat(np.arange(150), rng.choice([1, 2, 3, 4], 150))
    n = len(home)
    wage, other = rng.integers(0, 5_000, n), rng.integers(0, 900, n)
    table = pd.DataFrame(
        {
            "hhid": home + 1,
            "region": np.where(rng.random(n) < 0.05, 9, rng.integers(1, 5, 150)[home]),
            "hh_type": np.bincount(home)[home] * 10,
            "wage": wage,
            "other": other,
            "hh_total": np.bincount(home, wage + other)[home],
            "share": wage + other,
            "area": rng.integers(20, 200, 150)[home],
        }
    )
    table["area_class"], table["rest_of_home"] = table["area"] // 50, table["hh_total"] - wage
    table.to_csv(folder / "moved.csv", index=False)
    return folder / "moved.csv"


def _make_infinite(folder):
    """Numbers that are infinite, or beyond all reckoning."""
    rng, n = _draw(), 120
    table = pd.DataFrame({"age": rng.integers(18, 90, n), "ratio": rng.normal(size=n)})
    table.loc[[3, 7, 20, 41], "ratio"] = np.inf
    table["vast"] = rng.normal(size=n) * 1e300
    table.to_parquet(folder / "infinite.parquet")
    return folder / "infinite.parquet"


def _make_copied_names(folder):
    """An identifier that is there twice, and a code for a missing one."""
    rng, n = _draw(), 80
    mail = [f"p{k}@example.org" if k % 9 else "unknown" for k in range(n)]
    table = pd.DataFrame({"mail": mail, "contact": mail, "age": rng.integers(18, 90, n)})
    table["sex"] = rng.choice(["f", "m"], n)
    table.to_csv(folder / "copied.csv", index=False)
    return folder / "copied.csv"


def _make_weights_with_gaps(folder):
    """A weight that some rows lack."""
    rng, n = _draw(), 200
    table = pd.DataFrame(
        {"design_weight": rng.gamma(4, 30, n).round(4), "age": rng.integers(18, 90, n)}
    )
    table.loc[rng.random(n) < 0.05, "design_weight"] = np.nan
    table.to_csv(folder / "gaps.csv", index=False)
    return folder / "gaps.csv"


def _make_types(folder):
    """Every type that a Parquet file has."""
    import datetime
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, n = _draw(), 90
    days = rng.integers(0, 9_000, n)
    table = pa.table(
        {
            "money": pa.array([Decimal(int(k)) / 100 for k in rng.integers(0, 10**6, n)]),
            "large": pa.array(
                (rng.integers(0, 2**62, n).astype(np.uint64) * 2).tolist(), pa.uint64()
            ),
            "small": pa.array(rng.integers(0, 3, n), pa.int8()),
            "flag": pa.array([None if k % 7 == 0 else bool(k % 2) for k in range(n)]),
            "clock": pa.array([datetime.time(int(k) % 24, 5) for k in days]),
            "zoned": pa.array(days * 10**6, pa.timestamp("ms", "Europe/Zurich")),
            "span": pa.array(days, pa.duration("s")),
            "day": pa.array(days.astype(np.int32), pa.date32()),
            "list": pa.array([[int(k)] for k in days]),
            "bytes": pa.array([b"ab" for _ in days]),
            "half": pa.array(rng.normal(size=n).astype(np.float16)),
            "kind": pa.array(rng.choice(["a", "b"], n)).dictionary_encode(),
            "nothing": pa.nulls(n),
        }
    )
    pq.write_table(table, folder / "types.parquet")
    return folder / "types.parquet"


def _make_sums_with_gaps(folder):
    """Totals, a net amount, and dates in order, all with gaps."""
    rng, n = _draw(), 400
    a, b, tax = (rng.integers(0, 9_000, n).astype(float) for _ in range(3))
    start = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1_500, n), unit="D")
    table = pd.DataFrame(
        {
            "wage": a, "rent": b, "total": a + b, "tax": tax, "net": a + b - tax,
            "start": start, "stop": start + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )  # fmt: skip
    for name in table:
        table[name] = table[name].mask(rng.random(n) < 0.06)
    table.to_csv(folder / "sums.csv", index=False)
    return folder / "sums.csv"


def _make_all_the_same(folder):
    """Columns that do not vary at all."""
    pd.DataFrame({"a": [1] * 50, "b": ["x"] * 50}).to_csv(folder / "same.csv", index=False)
    return folder / "same.csv"


def _make_one_row(folder):
    """One person."""
    (folder / "alone.csv").write_text("sex,age\nf,31\n")
    return folder / "alone.csv"


def _make_few_homes(folder):
    """Twelve households, most of one person."""
    rng = _draw()
    home = np.repeat(np.arange(12), [1, 1, 1, 2, 1, 3, 1, 2, 5, 1, 4, 2])
    relation = np.where(np.diff(home, prepend=-1) > 0, 1, rng.integers(2, 5, len(home)))
    table = pd.DataFrame(
        {
            "household_id": home + 1, "relationship": relation,
            "water": rng.choice([1, 2], 12)[home], "age": rng.integers(0, 90, len(home)),
        }
    )  # fmt: skip
    table.to_csv(folder / "few.csv", index=False)
    return folder / "few.csv"


def _make_database(folder):
    """A table of a database."""
    import sqlite3

    with sqlite3.connect(folder / "people.db") as base:
        make_households(120).to_sql("people", base, index=False)
    base.close()
    return f"sqlite:///{folder}/people.db#people"


def _make_mixed(folder):
    """Numbers, words and dates in one column of a workbook."""
    rng, n = _draw(), 60
    table = pd.DataFrame({"age": rng.integers(18, 90, n), "answer": ["yes", 3, None] * 20})
    table["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    table.to_excel(folder / "mixed.xlsx", index=False)
    return folder / "mixed.xlsx"


def _make_panel(folder):
    """Persons of several rows, some of whom moved to another household."""
    rng = _draw()
    person = np.repeat(np.arange(200), 3)
    home = np.repeat(np.arange(200) // 2, 3)
    home = np.where(rng.random(600) < 0.03, rng.integers(0, 100, 600), home)
    table = pd.DataFrame(
        {
            "hid": home + 1, "pid": person + 1, "wave": np.tile([1, 2, 3], 200),
            "sex": rng.choice([1, 2], 200)[person], "income": rng.gamma(2, 900, 600).round(),
        }
    )  # fmt: skip
    table.to_csv(folder / "panel.csv", index=False)
    return folder / "panel.csv"


def _make_census(folder):
    """A large table by the same office as the small ones: a sum that is exact, others nearly."""
    rng, n = _draw(), 3_000
    wage = rng.lognormal(10, 0.7, n).round()
    tax = (0.2 * wage + rng.normal(0, 500, n)).round().clip(0)
    table = pd.DataFrame(
        {"wage": wage, "tax": tax, "net": wage - tax, "fica": (wage * 0.0765).round()}
    )
    table["age"], table["real"] = rng.integers(16, 99, n), rng.normal(70, 9, n).astype("float32")
    table.to_csv(folder / "census.csv", index=False)
    return folder / "census.csv"


TABLES = {
    name.removeprefix("_make_"): make for name, make in dict(globals()).items()
    if name.startswith("_make_")
}  # fmt: skip
