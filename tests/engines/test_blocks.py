"""Every method, masked block by block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from method_examples import BLOCK_EXAMPLES

import swapmeet as sm
from swapmeet.algorithms.blocks import split_into_blocks
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.engines.blocks import layout_of, mask_block
from swapmeet.engines.local import engine as by_blocks
from swapmeet.engines.local.engine import BlockMerger, deal_rows, layout_in_memory
from swapmeet.errors import TableError
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role
from swapmeet.tables.statistics import PartialStatistics
from swapmeet.testing.examples import (
    Example,
    add_missing,
    add_regions,
    fit_example,
    make_example,
    make_people,
    only,
)
from swapmeet.testing.methods import _equal

N, BLOCK = 900, 130
PEOPLE = make_example("people", add_regions(add_missing(make_people(N))), strata=["region"])
ALIKE = make_example(
    "strata that fit", PEOPLE.data.assign(region=np.arange(N) % 18), strata=["region"]
)


def fitting(method, example=PEOPLE) -> Example:
    return fit_example(method, example)


def masked_in(masked, method, block_rows=BLOCK, example=PEOPLE, **options):
    found = fitting(method, example)
    engine = sm.Local(block_rows=block_rows, **options)
    return masked(found.data, method, schema=found.schema, seed=3, engine=engine)


def microdata(method, example=PEOPLE):
    found = fitting(method, example)
    table = Table(found.data)
    return Microdata.of(table, found.schema.in_order(table.names))


def masked_donors(release, data):
    columns = [release.audit.columns.index(name) for name in data.names]
    return release.audit.donors[:, columns]


def members_in(data, method, seed):
    layout = layout_in_memory(method, data, BLOCK, seed, 1)
    return list(split_into_blocks(deal_rows(layout, data, Workers(1))))


def blocks_of(data, method, seed):
    blocks = np.full(data.n, -1)
    for member in members_in(data, method, seed):
        blocks[member.own] = member.block
    return blocks


@pytest.mark.slow_beyond(12)
@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_one_block_is_the_whole_table(method, masked):
    assert _equal(masked_in(masked, method, N), masked_in(masked, method, None))


@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_donors_stay_in_their_block_and_stratum(method, masked):
    data, release = microdata(method), masked_in(masked, method)
    given = masked_donors(release, data)
    members = members_in(data, method, release.audit.seed)
    assert len(members) >= 9
    for member in members:
        donors = given[member.own]
        assert np.isin(donors[donors >= 0], member.rows).all()
        assert (donors != member.own[:, np.newaxis]).any()
    for donors in given.T:
        moved = np.flatnonzero(donors >= 0)
        assert np.array_equal(data.strata[donors[moved]], data.strata[moved])


@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_what_permutes_a_table_permutes_its_blocks(method, masked):
    whole, blocks = masked_in(masked, method, None), masked_in(masked, method)
    kept = (blocks.audit.donors >= 0).all(axis=0)
    permuted = whole.audit.map.is_permutation() & kept
    assert (blocks.audit.map.is_permutation() >= permuted).all()


@pytest.mark.slow_case("matched-swap-0")
@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_neither_threads_nor_the_order_of_work_matter(method, masked, monkeypatch):
    one, many = (masked_in(masked, method, threads=threads) for threads in (1, 20))
    assert _equal(one, many)
    assert one.notes == many.notes
    monkeypatch.setattr(
        by_blocks, "split_into_blocks", lambda dealt: reversed(list(split_into_blocks(dealt)))
    )
    assert _equal(one, masked_in(masked, method, threads=1))


def test_what_blocks_tell_stands_in_the_order_of_their_numbers_whenever_they_end():
    data = Microdata((Variable("age", Kind.NUMERIC, np.arange(6.0)),), np.zeros(6, np.int32))
    merger = BlockMerger(data)
    for number in (2, 0, 1):
        rows = np.array([2 * number, 2 * number + 1])
        told = {"facts": (f"fact {number}",), "notes": (f"note {number}",)}
        merger.add(number, rows, Outcome(DonorMap.identity(2, 1), **told))
    outcome = merger.outcome()
    assert outcome.facts[1:] == ("fact 0", "fact 1", "fact 2")
    assert outcome.notes == ("note 0", "note 1", "note 2")


@pytest.mark.slow_case("matched-swap-0")
@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_a_table_that_comes_in_pieces_gives_the_same_release(method):
    """Facts from chunks in any order, blocks from rows in any order: the engine to come."""
    data, seed = microdata(method), Seed.chosen_by_user(3)
    order = np.random.default_rng(5).permutation(N)
    pieces = np.array_split(order, 7)

    def sampled(sampling):
        rows = np.sort(np.concatenate([p[sampling.chosen(p)] for p in pieces]))
        return replace(_with_facts_of(data, rows, pieces), strata=data.strata[rows])

    layout = layout_of(method, np.bincount(data.strata), BLOCK, seed, sampled, 1)
    dealt = [
        layout.deal(rows, _with_facts_of(data, rows, pieces), data.strata[rows]) for rows in pieces
    ]
    rows = np.concatenate([p[d.places] for p, d in zip(pieces, dealt, strict=True)])
    buckets = np.concatenate([d.buckets for d in dealt])
    reach = None if dealt[0].reach is None else np.concatenate([d.reach for d in dealt])
    whole = BlockMerger(data)
    for number in np.unique(buckets[buckets % 2 == 0])[::-1] // 2:
        at = np.flatnonzero(buckets // 2 == number)
        at = at[np.lexsort((rows[at], buckets[at]))]
        block = _with_facts_of(data, rows[at], pieces)
        if reach is not None:
            block = replace(block, reach=reach[at][~np.isnan(reach[at])])
        outcome = mask_block(method, block, seed, number, layout.count, Workers(1))
        whole.add(number, rows[at], outcome)
    one, other = whole.outcome(), sm.Local(block_rows=BLOCK).run(method, data, seed)
    assert np.array_equal(one.donors.matrix, other.donors.matrix)
    assert _lists(one.made) == _lists(other.made)
    assert _lists(one.stuck) == _lists(other.stuck)
    assert (one.facts, one.notes) == (other.facts, other.notes)


def _lists(arrays):
    """Such that NaN equals NaN."""
    return {name: repr(values.tolist()) for name, values in arrays.items()}


def _with_facts_of(data, rows, pieces):
    """A block that knows the whole by what was gathered of the pieces."""
    block = data.take(rows)
    variables = tuple(
        replace(
            v,
            whole=PartialStatistics.merge(
                PartialStatistics.of(v0.values[p], v.kind) for p in pieces
            ).statistics(),
        )
        for v, v0 in zip(block.variables, data.variables, strict=True)
    )
    strata = np.unique(block.strata, return_inverse=True)[1].astype(np.int32)
    return replace(block, variables=variables, strata=strata)


@pytest.mark.parametrize("method", [sm.SJPPDS(bins=5), sm.RWN(k=3), sm.Cart(), sm.MEDS(k=4)])
def test_several_small_strata_share_a_block(method, masked):
    data, release = microdata(method, ALIKE), masked_in(masked, method, example=ALIKE)
    blocks = blocks_of(data, method, release.audit.seed)
    assert len(np.unique(blocks)) == 9
    assert all(len(np.unique(blocks[data.strata == s])) == 1 for s in range(18))
    donors = masked_donors(release, data)
    assert (donors != np.arange(N)[:, np.newaxis]).mean() > 0.5
    assert all(np.array_equal(data.strata[column], data.strata) for column in donors.T)


# what a block is measured against is the whole table


def skewed(n=4000):
    rng = np.random.default_rng(1)
    return pd.DataFrame({"x": rng.lognormal(0, 2, n), "y": rng.integers(0, 50, n).astype(float)})


def test_bins_are_those_of_the_whole_table(masked):
    frame = skewed()
    engine = sm.Local(block_rows=200)
    release = masked(frame, sm.SJPPDS(bins=50), seed=1, engine=engine)
    edges = np.linspace(frame["x"].min(), frame["x"].max(), 51)
    before, after = (np.searchsorted(edges[1:-1], column["x"]) for column in (frame, release.data))
    assert np.array_equal(before, after)
    assert (frame["x"] != release.data["x"]).mean() > 0.9


def test_levels_of_an_ordinal_column_are_binned_as_in_the_whole_table(masked):
    rng = np.random.default_rng(8)
    levels = np.array([1.0, 2.0, 4.0, 5.0, 100.0, 101.0])
    places = np.minimum(rng.geometric(0.6, 3000) - 1, 5)
    frame = pd.DataFrame({"g": levels[places]})
    schema = sm.Schema((sm.Column("g", "ordinal"),))
    engine = sm.Local(block_rows=100)
    release = masked(frame, sm.SJPPDS(bins=3), schema=schema, seed=1, engine=engine)
    after = np.searchsorted(levels, release.data["g"])
    edges = np.array([5 / 3, 10 / 3])
    assert np.array_equal(np.searchsorted(edges, places), np.searchsorted(edges, after))
    assert (after != places).any()


def test_noise_is_as_loud_in_every_block_and_keeps_the_range_of_the_whole(masked):
    frame = skewed()
    release = masked(frame, sm.Noise(level=2.0), seed=1, engine=sm.Local(block_rows=200))
    assert release.data["x"].between(frame["x"].min(), frame["x"].max()).all()
    free = sm.Noise(level=0.5, bounds="none", whole="ignore")
    added = masked(frame, free, seed=1, engine=sm.Local(block_rows=200)).data["x"] - frame["x"]
    assert added.std() == pytest.approx(0.5 * frame["x"].std(), rel=0.05)


def test_cells_are_those_of_the_whole_table(masked):
    frame = skewed()
    method = sm.MEWS(columns=["x", "y"], width={"x": 2.0, "y": 10.0})
    release = masked(frame, method, seed=1, engine=sm.Local(block_rows=200))
    for name, width in (("x", 2.0), ("y", 10.0)):
        low, high = frame[name].min(), frame[name].max()
        last = np.ceil((high - low) / width) - 1
        before, after = (
            np.minimum((column[name] - low) // width, last) for column in (frame, release.data)
        )
        assert np.array_equal(before, after)


@pytest.mark.parametrize(
    "method",
    [
        sm.RWN(k=10),
        sm.RWN(k=10, search="cells", parts=2),
        sm.SJPPDS(bins=30),
        sm.RankSwap(window=0.1),
        sm.Microaggregation(k=5, permute=True),
        sm.DataShuffle(),
        sm.Noise(level=0.2),
        sm.Cart(),
    ],
)
def test_ten_blocks_keep_what_one_keeps(method, masked):
    rng = np.random.default_rng(4)
    base = rng.normal(size=(6000, 1))
    values = base + rng.normal(size=(6000, 4)) * [0.3, 0.6, 1.0, 3.0]
    frame = pd.DataFrame(values, columns=list("abcd"))
    whole = masked(frame, method, seed=1).data.corr()
    blocks = masked(frame, method, seed=1, engine=sm.Local(block_rows=600)).data.corr()
    assert np.abs(whole - blocks).to_numpy().max() < 0.06
    assert np.abs(frame.corr() - whole).to_numpy().max() < 0.2


# what is told


def test_what_blocks_tell_is_said_once_and_adds_up(masked):
    release = masked_in(masked, sm.NBRS(eps=0.5))
    lonely = int(release.audit.map.suppressed.any(axis=1).sum())
    told = [note for note in release.notes if "have no neighbour" in note]
    assert len(told) == 1
    assert told[0].startswith(f"{lonely} of {N} records have no neighbour")
    assert release.notes[0].startswith("masked in 9 blocks of ")


@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_no_note_is_said_for_each_block(method, masked):
    release = masked_in(masked, method)
    assert len(release.notes) <= 8
    assert len(set(release.notes)) == len(release.notes)


def test_clusters_of_all_blocks_are_counted(masked):
    method = sm.KLTheta(k=6, l=2, theta=0.7)
    note = next(n for n in masked_in(masked, method).notes if "clusters" in n)
    count = int(note.split()[0])
    assert N // 12 < count <= N // 6


def test_a_block_that_is_too_small_is_told_with_its_remedy(masked):
    with pytest.raises(TableError) as caught:
        masked_in(masked, sm.RWN(k=70), block_rows=60)
    message = str(caught.value)
    assert message.startswith("in a block of ")
    assert "`k` = 70 needs at least 71 rows" in message
    assert message.endswith("Or raise `block_rows`, so that blocks are larger.")


def test_blocks_that_break_a_promise_are_refused(masked):
    with pytest.raises(TableError, match="`k` must not exceed the number of rows"):
        masked_in(masked, sm.Microaggregation(k=100), block_rows=110)


def test_the_whole_table_is_checked_first(masked):
    with pytest.raises(sm.SwapmeetError) as caught:
        masked_in(masked, sm.RWN(k=3, weights={"agee": 1.0}))
    assert "agee" in str(caught.value)


def test_progress_counts_blocks(masked):
    told = []
    masked_in(masked, sm.SJPPDS(bins=5), progress=lambda *facts: told.append(facts))
    assert told[-1] == ("blocks", 9, 9)


def test_seeds_differ(masked):
    found = fitting(sm.SJPPDS())
    one, other = (
        masked(found.data, sm.SJPPDS(), schema=found.schema, seed=seed,
               engine=sm.Local(block_rows=BLOCK)).audit.donors
        for seed in (1, 2)
    )  # fmt: skip
    assert (one != other).mean() > 0.3


@pytest.mark.slow
def test_tiny_blocks_are_masked_too(masked):
    """By chance some are empty or have one row, which stays."""
    plain = only(PEOPLE, "income", "age")
    for method in (sm.SJPPDS(bins=2), sm.Cart(), sm.MEDS(k=2), sm.DataShuffle()):
        engine = sm.Local(block_rows=3)
        release = masked(plain.data, method, schema=plain.schema, seed=1, engine=engine)
        assert (release.audit.donors >= 0).all()


def test_one_giant_heap_of_equal_rows_is_cut_too(masked):
    frame = pd.DataFrame({"x": np.zeros(5000), "t": ["a"] * 5000})
    frame.loc[::50, "x"] = np.arange(100.0)
    for method in (sm.RWN(k=5), sm.Cart()):
        release = masked(frame, method, seed=1, engine=sm.Local(block_rows=500))
        assert release.audit.moved.mean() > 0.9


def test_kinds_and_roles_come_along():
    data = microdata(sm.RWN(k=5))
    block = data.block(np.array([1, 5, 700]))
    assert [v.kind for v in block.variables] == [v.kind for v in data.variables]
    assert {v.role for v in block.variables} <= {Role.KEY, Role.SENSITIVE}
    assert {v.kind for v in block.variables} == set(Kind)
