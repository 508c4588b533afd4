from __future__ import annotations

import pytest

PEOPLE = "age,sex,steps\n" + "".join(
    f"{20 + n % 50},{'fm'[n % 2]},{900 + 7 * (n * n % 23)}\n" for n in range(60)
)
AGE, SEX, STEPS = range(3)


@pytest.fixture(scope="module")
def opened(same_site, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "people.csv"
    path.write_text(PEOPLE)
    key = same_site.open(path)
    same_site.get(f"/case/{key}/roles")
    return same_site.case(key)


@pytest.fixture
def case(same_site, opened):
    """A case as it was opened."""
    same_site.space.save_case(opened)
    return opened.key


def fill(site, key, known=(AGE, SEX, STEPS), **controls):
    """The form as a browser sends it, with these changes."""
    form = {f"{name}-{at}": value for at in range(3) for name, value in
            (("role", "key"), ("kind", "nominal" if at == SEX else "numeric"))}  # fmt: skip
    form |= {f"known-{at}": "yes" for at in known}
    form |= {"intruder": site.case(key).intruder, "revision": site.case(key).revision}
    return site.post(f"/case/{key}/roles", **{**form, **controls})


def test_an_intruder_ticked_and_saved_with_the_columns_counts(same_site, case):
    assert fill(same_site, case, intruder="insider", then="protect").place.endswith("/protect")
    assert same_site.case(case).intruder == "insider"


def test_another_intruder_knows_what_such_one_usually_knows(same_site, case):
    fill(same_site, case, known=[AGE])
    assert same_site.case(case).known == ("age",)
    fill(same_site, case, known=[AGE], intruder="acquaintance")
    assert same_site.case(case).known is None


def test_columns_ticked_together_with_another_intruder_count(same_site, case):
    fill(same_site, case, known=[AGE, SEX], intruder="acquaintance")
    assert same_site.case(case).known == ("age", "sex")


def test_using_an_intruder_keeps_what_was_said_of_columns(same_site, case):
    fill(same_site, case, **{"role-2": "sensitive", "intruder": "insider", "recode": "age: top 60"})
    assert same_site.case(case).roles == {"steps": "sensitive"}
    assert same_site.case(case).recode == ("age: top 60",)


def test_what_was_typed_stays_when_nothing_is_known(same_site, case):
    answer = fill(same_site, case, known=[], rule='age > 10 or sex = "f"')
    assert answer.status == 400
    assert "age &gt; 10 or sex = &#34;f&#34;" in answer.text
    assert same_site.case(case).rule == ()


def test_a_page_after_a_refusal_can_be_sent_again(same_site, case):
    answer = fill(same_site, case, known=[], rule="age > 10")
    assert f'name="revision" value="{same_site.case(case).revision}"' in answer.text


@pytest.mark.slow
def test_the_reason_of_a_role_is_what_was_found(same_site, tmp_path):
    path = tmp_path / "households.csv"
    path.write_text("hid,age\n" + "".join(f"{1000 + n // 3},{20 + n % 41}\n" for n in range(90)))
    key = same_site.open(path)
    page = same_site.get(f"/case/{key}/roles").text
    row = page[page.index('id="c0"') :].partition("</tr>")[0]
    assert "numbers of households" in row


@pytest.mark.slow
def test_many_columns_are_saved_page_by_page(same_site, tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"v{n}" for n in range(250)]
    path.write_text("\n".join([",".join(names), *(",".join(f"{n * m % 17}" for n in range(250))
                                                  for m in range(20))]))  # fmt: skip
    key = same_site.open(path)
    same_site.get(f"/case/{key}/roles")
    controls = {"revision": same_site.case(key).revision, "role-100": "keep", "known-100": "yes"}
    staying = same_site.post(f"/case/{key}/roles?page=2", **controls)
    assert staying.place.endswith("/roles?page=2")
    controls["revision"] = same_site.case(key).revision
    going_on = same_site.post(f"/case/{key}/roles?page=2", **controls, then="next")
    assert going_on.place.endswith("/roles?page=3")
    assert same_site.case(key).roles["v100"] == "keep"
