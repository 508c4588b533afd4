"""A curator at the browser: what somebody does on the pages of the app, step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

JOB = 300_000
"""Milliseconds that a job may take on a machine that is busy."""
SLOW = 120_000
"""Milliseconds that anything else may take there."""
TRIALS = re.compile(r"\b([1-9][\d,]*) trials?; ")
"""What a search says once it has made some."""
METHOD, SETTINGS = "rank-swap", {"window": "0.2"}


@dataclass
class Curator:
    """Whoever uses one page of the browser; `complaints` is what the page complained of."""

    page: object
    complaints: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    downloads: list = field(default_factory=list)

    def __post_init__(self):
        self.page.set_default_timeout(SLOW)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("download", lambda download: self.downloads.append(download))
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message):
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    # where they are

    @property
    def step(self):
        return urlsplit(self.page.url).path.rpartition("/")[2]

    @property
    def case(self):
        """The address of the file that is open."""
        return re.match(r".*/case/\w+", self.page.url)[0]

    def enter(self, link):
        self.page.goto(link)
        self.page.wait_for_url(re.compile(r":\d+/$"))

    def go(self, step):
        return self.page.goto(f"{self.case}/{step}")

    def go_home(self):
        self.page.get_by_role("link", name="All files").click()

    # what they do

    def click(self, words, to=None):
        """Press a button, or follow a link, and wait for the page that it leads to."""
        button = self.page.get_by_role("button", name=words, exact=True)
        link = self.page.get_by_role("link", name=words, exact=True)
        button.or_(link).first.click()
        if to is not None:
            self.page.wait_for_url(f"**/{to}")

    def open_example(self):
        self.click("Open the example")
        self.wait_for("Go on: roles and intruder")

    def open_path(self, path):
        self.page.get_by_label("Path of the file").fill(str(path))
        self.page.locator("form[action='/open'] button").click()

    def upload(self, *files):
        self.page.get_by_label("File", exact=True).set_input_files(*files)
        self.page.locator("form[action='/upload'] button").click()

    def choose_method(self, method=METHOD, settings=SETTINGS):
        with self.page.expect_response(re.compile("/settings")):
            self.page.get_by_label("Method", exact=True).select_option(method)
        for name, value in settings.items():
            self.page.locator(f"#setting-{name}").fill(value)

    def choose_seed(self, seed):
        self.page.get_by_text("More", exact=True).click()
        self.page.get_by_label("Seed").fill(str(seed))

    def ask_for_candidate(self, seed=None):
        """The number of a candidate that is to be made."""
        if self.step != "protect":
            self.go("protect")
        self.choose_method()
        if seed is not None:
            self.choose_seed(seed)
        self.click("Make a candidate", to="compare?new=*")
        return self.page.url.rpartition("=")[2]

    def make_candidate(self, seed=None):
        """The number of a candidate that is on the map."""
        number = self.ask_for_candidate(seed)
        self.wait_for_candidate(number)
        return number

    def wait_for_candidate(self, number):
        row = self.page.get_by_role("row").filter(has_text=f"{number}: ").first
        failure = row.get_by_text("failed: ")
        self.point(number).or_(failure).first.wait_for(timeout=JOB)
        assert not failure.is_visible(), failure.inner_text()

    def look_at_candidate(self, number):
        self.point(number).locator(".dot").click()
        self.page.wait_for_url(f"**/candidate/{number}")

    def start_search(self, *methods):
        """A search of two minutes, which nobody waits for."""
        self.go("protect")
        self.tick_methods(*methods)
        self.click("Search", to="search/*")

    def tick_methods(self, *methods):
        """Search among these, and no others."""
        for box in self.page.locator("input[name=methods]").all():
            box.set_checked(box.get_attribute("value") in methods)

    def stop_job(self):
        self.job.get_by_role("button", name="Stop").click()
        self.job.wait_for(state="detached")

    def decide(self, reason):
        self.page.get_by_label("Why is this release published").fill(reason)
        self.page.get_by_role("button", name=re.compile("^Choose this")).click()
        self.page.wait_for_url("**/release")

    def wait_for_reports(self):
        self.page.get_by_role("link", name="public.html").wait_for(timeout=JOB)

    def take(self, words, folder):
        """Where the file is that a link or button gives."""
        with self.page.expect_download() as download:
            self.click(words)
        return keep(download.value, folder)

    def show_audit_form(self):
        self.page.locator("summary", has_text="Take the audit record").click()

    def tick_audit_box(self):
        self.page.get_by_label(re.compile("can undo the masking")).check()

    # what they see

    def wait_for(self, words, patience=SLOW):
        self.page.get_by_text(words).first.wait_for(timeout=patience)

    @property
    def job(self):
        """The work under way, as every page shows it."""
        return self.page.locator(".job")

    def wait_for_progress(self):
        """How many trials a search has made, once there are some."""
        words = self.job.filter(has_text=TRIALS)
        words.wait_for(timeout=JOB)
        return int(re.search(TRIALS, words.inner_text())[1].replace(",", ""))

    def point(self, number):
        """A candidate on the map."""
        return self.page.locator(f".map a[href$='/candidate/{number}']")

    @property
    def problem(self):
        """The message that something did not work, once there is one."""
        return self.page.get_by_role("alert").inner_text(timeout=JOB)

    @property
    def command(self):
        """The first line of what would do the same in a terminal."""
        return self.page.locator(".command code").inner_text().splitlines()[0]


def keep(download, folder):
    path = folder / download.suggested_filename
    download.save_as(path)
    return path
