"""What the pages of the app may load and run: its own files, and nothing else."""

from __future__ import annotations

import pytest

ATTEMPTS = {
    "a picture from elsewhere": """
        const picture = document.createElement("img");
        picture.src = "http://192.0.2.1/picture.png";
        document.body.append(picture);""",
    "a style in the page": """
        document.body.setAttribute("style", "color: red");""",
    "a script in the page": """
        const script = document.createElement("script");
        script.textContent = "document.title = 'It ran'";
        document.body.append(script);""",
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_the_browser_refuses_what_is_not_a_file_of_the_app(curator, attempt):
    with curator.page.expect_console_message(lambda it: "Content Security Policy" in it.text):
        curator.page.evaluate(f"() => {{ {attempt} }}")
    assert curator.page.title() != "It ran"
