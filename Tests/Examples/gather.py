"""Gathers the examples of all pages and doc comments, and says who tries each of them.

    python3 Tests/Examples/gather.py FOLDER PAGE...

Pages are the tracked Markdown files; doc comments are those of Sources/**/*.swift. FOLDER gets one Swift file for each page and
source with Swift in it, to be type-checked together, and one with the names that fragments take for granted, from `names`.
PAGE... are those whose console blocks are run. Prints how many blocks of each kind there are, and every block that is not
tried, with the reason that `untried` gives. Fails for a block that nobody tries and `untried` does not name, and for a line of
`untried` that names nothing.

Fragments of a page follow each other: each sees the names of those before it, and may use a name again. A page with an `@main` is
one file. In doc comments every block stands alone. Errors are told at their place in the page (`#sourceLocation`).
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# Who runs the Python of pages.
PYTHON_TESTS = [ROOT / "Python/tests/test_pages.py", ROOT / "Python/tests/test_spark.py"]
# Published results and what they are made from: no examples, but tables that scripts write.
RESULTS = ("Benchmarks/Results/", "Benchmarks/Policies/", "CHANGELOG.md")


class Block:
    """Lines of code, where they begin (from 1), and what they are written in; empty for an indented block of a page."""

    def __init__(self, path, line, language, lines):
        self.path, self.line, self.language, self.lines = path, line, language, lines

    @property
    def first(self):
        return next(line.strip() for line in self.lines if line.strip())


def tracked(pattern):
    """Files of the repository; without Git, as in a source archive, all that are not below hidden folders."""
    command = ["git", "ls-files", "-co", "--exclude-standard", pattern]
    listed = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
    if listed.returncode == 0:
        return [path for path in listed.stdout.splitlines() if (ROOT / path).exists()]
    folder, name = pattern.split("/") if "/" in pattern else (".", pattern)
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob(name))
    return [str(path) for path in paths if not any(part.startswith(".") for part in path.parts)]


def indented(path, numbered):
    """Blocks of four spaces and more after an empty line; `numbered` has each line's number and text, None between comments."""
    block, is_after_blank = None, True
    for number, text in numbered:
        if text is not None and text.startswith("    ") and text.strip() and (block or is_after_blank):
            block = block or Block(path, number, "", [])
            block.lines.append(text[4:])
            continue
        if text is not None and not text.strip():
            if block:
                block.lines.append("")
            is_after_blank = True
            continue
        if block:
            yield block
        block, is_after_blank = None, text is None
    if block:
        yield block


def blocks_of_page(path):
    """Find the fenced and the indented blocks of a page."""
    lines = (ROOT / path).read_text().splitlines()
    fence, rest = None, []
    for number, text in enumerate(lines, 1):
        if text.startswith("```"):
            if fence:
                yield fence
                fence = None
            else:
                fence = Block(path, number + 1, text[3:].strip() or "without a language", [])
            rest.append((number, None))
        elif fence:
            fence.lines.append(text)
        else:
            # In a list, indented lines go on with the entry.
            rest.append((number, text))
    yield from indented(path, rest)


def blocks_of_source(path):
    """Find the indented blocks of doc comments, which are Swift."""
    numbered = []
    for number, text in enumerate((ROOT / path).read_text().splitlines(), 1):
        comment = re.match(r"\s*///(?: (.*)|)$", text)
        numbered.append((number, (comment.group(1) or "") if comment else None))
    for block in indented(path, numbered):
        block.language = "swift"
        yield block


def untried():
    """Read the lines of `untried`: path, first words, reason."""
    for line in (HERE / "untried").read_text().splitlines():
        if line and not line.startswith("#"):
            yield tuple(part.strip() for part in line.split(" | "))


def names():
    """Read the names for all files, and those for one file alone, by its path."""
    parts = re.split(r"^// MARK: (.*)$", (HERE / "names").read_text(), flags=re.MULTILINE)
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


IMPORT = re.compile(r"^import \w+$", re.MULTILINE)


def swift_file(path, blocks, number, for_all, for_one):
    """Make the Swift of one file, to be compiled beside that of all others."""
    is_page = path.endswith(".md")
    is_whole = any("@main" in line for block in blocks for line in block.lines)
    pieces, imports = [], {*IMPORT.findall(for_all), *IMPORT.findall(for_one)}
    for block in blocks:
        body = "\n".join(block.lines)
        imports.update(IMPORT.findall(body))
        place = f'#sourceLocation(file: "{path}", line: {block.line})'
        pieces.append("\n".join([place, IMPORT.sub("", body), "#sourceLocation()"]))
    head = "\n".join(sorted(imports)) + "\n"
    if is_whole:
        return head + "\n".join(pieces) + "\n"
    names = IMPORT.sub("", for_one)
    opening = f"extension Reader {{\n@MainActor func example{number}() async throws {{\n{names}\n"
    if is_page:
        return head + opening + "do {\n" + "\ndo {\n".join(pieces) + "\n}" * (len(pieces) + 2) + "\n"
    return head + opening + "".join("do {\n" + piece + "\n}\n" for piece in pieces) + "}\n}\n"


def main():
    """Write the files, print what there is, and fail for what is not accounted for."""
    folder, consoles = Path(sys.argv[1]), set(sys.argv[2:])
    python_tests = "".join(test.read_text() for test in PYTHON_TESTS)
    exceptions = list(untried())
    for_all, for_one = names()
    (folder / "Names.swift").write_text(for_all)
    counts, left, unknown, used = Counter(), [], [], set()
    pages = [path for path in tracked("*.md") if not path.startswith(RESULTS)]
    for number, path in enumerate(pages + tracked("Sources/*.swift")):
        swift = []
        for block in blocks_of_page(path) if path.endswith(".md") else blocks_of_source(path):
            exception = next((e for e in exceptions if e[0] == path and block.first.startswith(e[1])), None)
            if exception:
                used.add(exception)
                left.append(f"{path}:{block.line}: {block.first[:60]}: {exception[2]}")
            elif block.language == "swift":
                swift.append(block)
                counts["Swift, type-checked"] += 1
            elif block.language == "console" and path in consoles:
                counts["console, run here"] += 1
            elif block.language == "python" and Path(path).name in python_tests:
                counts["Python, run by Scripts/python"] += 1
            elif block.language == "scenario" and path.endswith("/Scenarios.md"):
                counts["scenarios, run by ScenarioPageTests"] += 1
            elif block.language == "text":
                counts["of output or plain text"] += 1
            else:
                unknown.append(f"{path}:{block.line}: {block.language or 'indented'}: {block.first}")
        if swift:
            (folder / f"Example{number}.swift").write_text(
                swift_file(path, swift, number, for_all, for_one.pop(path, ""))
            )
    for line in left:
        print("   not tried:", line)
    print(
        "all pages and doc comments: "
        + "; ".join(f"{counts[kind]} blocks {kind}" for kind in sorted(counts))
        + f"; {len(left)} not tried"
    )
    for line in unknown:
        print(f"error: nobody tries this example, and Tests/Examples/untried does not say why: {line}", file=sys.stderr)
    stale = [e for e in exceptions if e not in used]
    for exception in stale:
        print(
            f"error: Tests/Examples/untried names an example that is not there: {' | '.join(exception)}",
            file=sys.stderr,
        )
    for path in for_one:
        print(f"error: Tests/Examples/names has names for {path}, where no Swift is", file=sys.stderr)
    sys.exit(1 if unknown or stale or for_one else 0)


main()
