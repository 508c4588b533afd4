"""Step 6: the release, its run file and its reports to take away; the audit record apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.desk import Desk, go, take_form
from swapmeet.app.pages.candidate import open_page
from swapmeet.app.run import Run, RunKind, State

if TYPE_CHECKING:
    from starlette.requests import Request

    from swapmeet.app.case import Case

REPORTS = {"internal": commands.INTERNAL, "public": commands.PUBLIC}


async def show(request: Request) -> Response:
    """Show the files that can be downloaded."""
    return _show(request)


def _show(request: Request, problem: str = "", status: int = 200) -> Response:
    desk = Desk.of(request)
    case = desk.case(request)
    run = _find_chosen(desk, case)
    papers = _find_papers(desk, case, run) if run else None
    failed = papers.error if papers and papers.state in {State.FAILED, State.STOPPED} else ""
    return desk.page(
        request, "release.html", case, status=status, step="release", run=run, papers=papers,
        problem=problem or failed, files=_list_releases(run) if run else [],
        run_file=_name_run_file(run) if run else "",
        awaits=[papers] if papers else [],
        is_done=papers is not None and papers.state is State.DONE,
        command="\n".join(one.shown for one in papers.commands) if papers else "",
    )  # fmt: skip


async def write_papers(request: Request) -> Response:
    """Write both reports."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    start_papers(desk, case, title=str(form.get("title", "")).strip())
    return go(case, "release")


def start_papers(desk: Desk, case: Case, title: str = "") -> None:
    """Start to write the reports of the candidate that was chosen, by the question it answers."""
    run = _require_chosen(desk, case)
    study = _find_study(desk, case, run)
    command = commands.write_papers(
        case.under(run.facts["question"]), run, study, reason=case.reason, title=title
    )
    desk.jobs.start(
        Run(kind=RunKind.PAPERS, case=case.key, title="Writing the reports", commands=(command,),
            facts={"candidate": run.number, "reason": case.reason})
    )  # fmt: skip


async def take(request: Request) -> Response:
    """A file of the release."""
    desk = Desk.of(request)
    case = desk.case(request)
    run = desk.run(request, RunKind.CANDIDATE)
    name = request.path_params["name"]
    if name not in (*_list_releases(run), _name_run_file(run)):
        raise HTTPException(404, "There is no such file.")
    return send(run.folder / name, name_download(case, name))


async def take_report(request: Request) -> Response:
    """A report, to be kept or read."""
    desk = Desk.of(request)
    case, run = desk.case(request), desk.run(request, RunKind.PAPERS)
    name = REPORTS.get(request.path_params["audience"])
    if name is None:
        raise HTTPException(404, "There is no such report.")
    if request.query_params.get("read"):
        return open_page(run, name)
    return send(run.folder / name, f"{_stem(case)}-{name}")


async def take_audit(request: Request) -> Response:
    """The audit record, only for anyone who says that they know what it is."""
    desk, form = Desk.of(request), await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    if form.get("understood") != "yes":
        return _show(request, "Tick the box first: anyone who has the audit record can undo the "
                              "masking.", 400)  # fmt: skip
    return send(run.folder / commands.AUDIT, f"{_stem(case)}-secret.audit")


def has_papers(desk: Desk, case: Case) -> bool:
    """Return whether the decision as it stands has its reports, or is about to."""
    papers = _find_papers(desk, case, _require_chosen(desk, case))
    return papers is not None and papers.state in {State.WAITING, State.RUNNING, State.DONE}


def send(path: Path, name: str) -> Response:
    """A file to be kept."""
    if not path.exists():
        raise HTTPException(404, "This file is not there any more.")
    return FileResponse(path, filename=name, content_disposition_type="attachment",
                        media_type="application/octet-stream")  # fmt: skip


def name_download(case: Case, name: str) -> str:
    """Name a file of the release for its download."""
    return f"{_stem(case)}-{name}"


def _stem(case: Case) -> str:
    return Path(case.name).name.partition(".")[0] or "table"


def _list_releases(run: Run) -> list[str]:
    """The release in each of its formats."""
    return [str(name) for name in run.facts["releases"]]


def _name_run_file(run: Run) -> str:
    """Name the run file, with which colleagues repeat the run; it is not published."""
    return f"{_list_releases(run)[0]}.run.toml"


def _find_chosen(desk: Desk, case: Case) -> Run | None:
    return next((one for one in desk.candidates(case) if one.number == case.candidate), None)


def _require_chosen(desk: Desk, case: Case) -> Run:
    run = _find_chosen(desk, case)
    if run is None:
        raise HTTPException(404, "No candidate has been chosen yet. Decide on one first.")
    return run


def _find_papers(desk: Desk, case: Case, run: Run) -> Run | None:
    """The newest reports of the decision as it stands."""
    facts = {"candidate": run.number, "reason": case.reason}
    papers = [one for one in desk.runs(case, RunKind.PAPERS) if dict(one.facts) == facts]
    return papers[-1] if papers else None


def _find_study(desk: Desk, case: Case, run: Run) -> Run | None:
    """The search that a candidate comes from, if it answered the same question."""
    number = run.facts.get("search")
    search = None if number is None else desk.space.find_run(case.key, f"{RunKind.SEARCH}-{number}")
    same = search is not None and search.facts.get("question") == run.facts["question"]
    return search if same else None


ROUTES = [
    Route("/case/{case}/release", show),
    Route("/case/{case}/papers", write_papers, methods=["POST"]),
    Route("/case/{case}/papers/{run:int}/{audience}", take_report),
    Route("/case/{case}/release/{run:int}/audit", take_audit, methods=["POST"]),
    Route("/case/{case}/release/{run:int}/{name}", take),
]
