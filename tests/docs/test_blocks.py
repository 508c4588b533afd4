"""What of the documentation is not run or not compared, and what it must not teach."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from doc_pages import ROOT, Page, list_pages, scan
from doc_runner import compare, split_commands

import swapmeet as sm

PUBLIC = ("swapmeet", "swapmeet.plots", "swapmeet.testing")
NOT_RUN = {
    "README.md": 2,  # installing, the tests themselves
    "packaging/package-index.md": 1,  # installing
    "docs/explanation/limits.md": 1,  # a quarter of an hour, a part of which has tests of its own
    "docs/guides/app.md": 1,  # serves until it is stopped; tests/app starts it
    "docs/guides/install.md": 2,
    "docs/guides/tuning.md": 1,  # half an hour of work
    "docs/papers/beyond.md": 1,  # an hour of work, of which tests/studies runs a part
    "docs/papers/mews.md": 1,  # minutes of work, of which tests/studies runs a part
    "docs/tutorial.md": 1,  # installing
    "docs/reference/speed.md": 1,  # benchmarks
    "docs/reference/measures/queries.md": 1,  # on adult, which is not built in
}
"""How many blocks of which page are not run. Each states its reason before the block, too."""


def test_only_these_blocks_are_not_run():
    found = Counter(
        page.name for page in list_pages() for block in page.blocks if block.why_not_run
    )
    assert dict(found) == NOT_RUN


def test_blocks_that_are_not_run_give_a_reason_in_words():
    reasons = [b.why_not_run for page in list_pages() for b in page.blocks if b.why_not_run]
    assert all(len(reason.split()) >= 4 for reason in reasons)


@pytest.mark.parametrize("page", list_pages(), ids=lambda page: page.name)
def test_no_page_teaches_an_internal_module(page):
    for block in page.blocks:
        if block.language == "python":
            for module, names in list_imports(block.text):
                assert module in PUBLIC, f"{page.name}:{block.line}: {module} is internal"
                public = sm.__all__ if module == "swapmeet" else vars_of(module)
                assert set(names) <= set(public), f"{page.name}:{block.line}: {names}"


def list_imports(text):
    """Modules of ours that are imported, and what is taken from them."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((a.name, ()) for a in node.names if a.name.startswith("swapmeet"))
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("swapmeet"):
            yield node.module, [a.name for a in node.names]


def vars_of(module):
    return __import__(module, fromlist=["__all__"]).__all__


def test_blocks_have_a_language_that_is_run_or_shown():
    """`console`, `py` and `bash` would be passed over in silence."""
    known = {"", "sh", "python", "text", "toml", "properties", "json", "r", "sql"}
    for path in (*ROOT.glob("docs/**/*.md"), ROOT / "README.md"):
        for item in scan(path.read_text()):
            assert isinstance(item, str) or item.language in known, f"{path}:{item.line}"


PAGE = """
<!-- samples: people.csv, named.csv as other.csv -->
<!-- exit 4 -->
<!-- run with: 10m = 3s; there.csv = here.csv -->
```sh
swapmeet tune there.csv \\
    --budget 10m   # ten minutes

swapmeet methods
```

and it says:

```text
No … found
```

<!-- not run: it installs from a registry -->
```sh
pip install it
```
"""


def test_a_page_is_read_with_its_marks(tmp_path):
    (tmp_path / "page.md").write_text(PAGE)
    page = Page.read(tmp_path / "page.md")
    first, second = page.blocks
    assert page.samples == ("people.csv", "named.csv as other.csv")
    assert first.exit_code == 4
    tuning, listing = split_commands(first.script)
    assert tuning.split()[:5] == ["swapmeet", "tune", "here.csv", "--budget", "3s"]
    assert listing == "swapmeet methods"
    assert first.shown[0].text == "No … found\n"
    assert second.why_not_run == "it installs from a registry"


def test_what_is_shown_must_be_printed_in_this_order():
    compare("one\n  two … four\n", "one two three\nfour five", "here")
    with pytest.raises(AssertionError, match="here: the page shows\nsix"):
        compare("one … six", "one two", "here")
    with pytest.raises(AssertionError):
        compare("two … one", "one two", "here")


def test_words_that_are_to_be_replaced_must_be_there(tmp_path):
    (tmp_path / "page.md").write_text("<!-- run with: 5m = 3s -->\n```sh\nls\n```\n")
    with pytest.raises(AssertionError, match="no '5m' to replace"):
        _ = Page.read(tmp_path / "page.md").blocks[0].script
