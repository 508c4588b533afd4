"""A page of the documentation as a script: its blocks, and what comments say about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = ("sh", "python")
FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- (exit|run with|not run|varies|samples):? (.+?) -->$")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block, where it stands, and what the comments before it say."""

    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)
    shown: tuple[Block, ...] = ()
    """The `text` blocks that tell what it prints."""

    @property
    def exit_code(self) -> int:
        return int(self.marks.get("exit", 0))

    @property
    def why_not_run(self) -> str:
        return self.marks.get("not run", "")

    @property
    def script(self) -> str:
        """The text with the words that comments replace."""
        text = self.text
        for pair in filter(None, self.marks.get("run with", "").split("; ")):
            old, _, new = pair.partition(" = ")
            assert old in text, f"line {self.line}: no {old!r} to replace"
            text = text.replace(old, new)
        return text


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page, the samples it wants, and the blocks that are run, in order."""

    path: Path
    samples: tuple[str, ...]
    blocks: tuple[Block, ...]

    @classmethod
    def read(cls, path: Path) -> Page:
        samples, blocks = [], list[Block]()
        for item in scan(path.read_text()):
            if isinstance(item, str):
                samples += item.split(", ")
            elif item.language in RUNS:
                blocks.append(item)
            elif item.language == "text":
                assert blocks, f"{path}:{item.line}: a text block that no block printed"
                blocks[-1] = replace(blocks[-1], shown=(*blocks[-1].shown, item))
        return cls(path=path, samples=tuple(samples), blocks=tuple(blocks))

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    def mentions(self, word: str) -> bool:
        return any(word in block.script for block in self.blocks if not block.why_not_run)


def scan(text: str):
    """Names of samples and blocks as they come; marks hold for the next block."""
    marks, lines = {}, enumerate(text.splitlines(), 1)
    for number, line in lines:
        if mark := MARK.match(line):
            if mark[1] == "samples":
                yield mark[2]
            else:
                marks[mark[1]] = mark[2]
        elif fence := FENCE.match(line):
            inside = []
            for _, each in lines:
                if each == "```":
                    break
                inside.append(each)
            content = "\n".join(inside) + "\n"
            yield Block(line=number, language=fence[1], text=content, marks=marks)
            marks = {}
        elif line.strip() and not line.startswith("<!--"):
            assert not marks, f"line {number}: a mark must stand right before its block"


def list_pages() -> list[Page]:
    """Everything that readers see and that has blocks to run."""
    others = ["README.md", "SECURITY.md", "packaging/package-index.md"]
    found = [ROOT / other for other in others] + sorted((ROOT / "docs").rglob("*.md"))
    return [page for page in map(Page.read, found) if page.blocks]
