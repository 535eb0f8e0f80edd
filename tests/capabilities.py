"""Makes docs/capabilities.md: each rule of tests/rules.toml with the tests that carry its marker.

`python -m tests.capabilities` writes it, `--check` fails when it is out of date. Neither accepts a rule that lost its last test.
"""

import argparse
import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "capabilities.md"
NOT_YET = "not yet"
_ROW = re.compile(r"\| `(?P<id>[^`]+)` \| .* \| (?P<tests>[^|]+) \|")


def rules() -> dict[str, dict[str, str]]:
    """Sections of rules: {section: {id: what it is}}."""
    return tomllib.loads((ROOT / "tests" / "rules.toml").read_text("utf-8"))


def marked_tests() -> dict[str, list[str]]:
    """Test ids by the rule they show; raises SystemExit for markers and docstrings that do not fit."""
    known = {rule for section in rules().values() for rule in section}
    found: dict[str, list[str]] = {}
    faults: list[str] = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for rule in _marks(node):
                    faults += _faults(rule, node, path, known)
                    found.setdefault(rule, []).append(f"{path.relative_to(ROOT)}::{node.name}")
    if faults:
        sys.exit("\n".join(faults))
    return found


def _marks(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    calls = [call for call in node.decorator_list if isinstance(call, ast.Call)]
    marks = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "rule"]
    return [argument.value for call in marks for argument in call.args if isinstance(argument, ast.Constant)]


def _faults(rule: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, path: Path, known: set[str]) -> list[str]:
    if rule not in known:
        return [f"{path}: {node.name} is marked with the unknown rule {rule!r}: add it to tests/rules.toml or correct it"]
    if not re.search(rf"(?<![\w-]){re.escape(rule)}(?![\w-])", ast.get_docstring(node) or ""):
        return [f"{path}: the docstring of {node.name} does not name its rule {rule!r}"]
    return []


def page(tests: dict[str, list[str]]) -> str:
    """The whole page as Markdown."""
    lines = ["# Capabilities", "", "Made by `python -m tests.capabilities` from the markers on the tests; not edited by hand.", ""]
    shown = sum(rule in tests for section in rules().values() for rule in section)
    lines += [f"{shown} of {sum(map(len, rules().values()))} shown by a test.", ""]
    for section, entries in rules().items():
        lines += [f"## {section}", "", "| id | what | shown by |", "|---|---|---|"]
        lines += [f"| `{rule}` | {what} | {_shown(tests.get(rule, []))} |" for rule, what in entries.items()]
        lines.append("")
    return "\n".join(lines)


def _shown(tests: list[str]) -> str:
    if not tests:
        return NOT_YET
    # Three names tell what is shown; the markers find the rest.
    return ", ".join(f"`{test}`" for test in tests[:3]) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")


def lost(old: str, tests: dict[str, list[str]]) -> list[str]:
    """Rules that `old` shows by a test and that no test shows now."""
    had = [match["id"] for line in old.splitlines() if (match := _ROW.fullmatch(line)) and match["tests"].strip() != NOT_YET]
    return [rule for rule in had if rule not in tests]


def main() -> int:
    """Write or check the page; 1 when it is out of date or a rule lost its last test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tests, old = marked_tests(), PAGE.read_text("utf-8") if PAGE.exists() else ""
    if gone := lost(old, tests):
        print(f"these rules had a test and lost it: {', '.join(gone)}", file=sys.stderr)
        return 1
    new = page(tests)
    if options.check and new != old:
        print("docs/capabilities.md is out of date: run python -m tests.capabilities", file=sys.stderr)
        return 1
    if not options.check:
        PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
