"""A page of another program on this machine, opened in a browser that was let in."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

HOLDERS = {
    "a frame": '<iframe src="{app}/"></iframe>',
    "an object": '<object data="{app}/"></object>',
    "a picture": '<img src="{app}/static/icon.svg">',
    "a style": '<link rel="stylesheet" href="{app}/static/app.css">',
    "a script": '<script src="{app}/static/app.js"></script>',
    "a look ahead": '<link rel="prefetch" href="{app}/">',
}
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
FORM = (
    '<form method="post" action="{app}/quit" enctype="{kind}"><input name="csrf" value="0"></form>'
)


@pytest.fixture
def serve():
    """Serve a page at another port of this machine, by its address."""
    servers = []

    def start(page):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def stranger(curator, serve):
    """Open such a page beside those of the app, and say what came of its requests to the app."""
    page = curator.page.context.new_page()

    def visit(content, app):
        failed = []
        page.on("requestfailed", lambda one: failed.append(one.url))
        page.goto(serve(content))
        return page, [url for url in failed if url.startswith(app.address)]

    return visit


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_it_can_hold_nothing_of_the_app(stranger, app, holder):
    page, failed = stranger(holder.format(app=app.address), app)
    if not failed:
        failed.append(page.wait_for_event("requestfailed").url)
    assert failed[0].startswith(app.address)


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_send_no_form(stranger, app, kind):
    page, _ = stranger(FORM.format(app=app.address, kind=kind), app)
    with page.expect_navigation() as sent:
        page.evaluate("document.forms[0].submit()")
    assert sent.value.status == 403
    assert app.process.poll() is None


@pytest.mark.parametrize("mode", ["cors", "no-cors"])
def test_it_can_read_nothing(stranger, app, mode):
    page, _ = stranger("", app)
    ask = f'fetch("{app.address}/", {{credentials: "include", mode: "{mode}"}})'
    assert page.evaluate(f'{ask}.then(() => "read", () => "refused")') == "refused"


def test_a_window_it_opens_is_out_of_its_hands(stranger, app):
    page, _ = stranger("", app)
    with page.expect_popup() as opened:
        page.evaluate(f'void (window.other = window.open("{app.address}/"))')
    opened.value.wait_for_load_state()
    assert opened.value.evaluate("window.opener") is None
    assert page.evaluate("window.other.closed")
