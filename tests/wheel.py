"""Builds the wheel, installs it into a bare environment and asks it for help: what a user gets is complete.

`python -m tests.wheel`, part of `make check`. Dependencies come from constraints.txt, so a missing pin shows here.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MUST_HOLD = ("retrievers/sql/hybrid.sql", "retrievers/sql/migrations/0001_create_schema.sql", "nodes/prompts/grade.md", "graphs/rag.py")
MUST_NOT_HOLD = ("tests/", "notebooks/", "docs/")


def build(folder: Path) -> Path:
    """The built wheel."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def missing(names: list[str]) -> list[str]:
    """What the wheel lacks or should not hold."""
    lacking = [f"lacks {name}" for name in MUST_HOLD if name not in names]
    return lacking + [f"holds {name}" for name in names if name.startswith(MUST_NOT_HOLD)]


def main() -> int:
    """0 when the wheel is complete and runs where only its own dependencies are installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        if faults := missing(zipfile.ZipFile(wheel).namelist()):
            print(f"{wheel.name}: {'; '.join(faults)}", file=sys.stderr)
            return 1
        python = folder / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", ROOT / "constraints.txt", wheel], check=True
        )
        for arguments in (["--version"], ["search", "--help"]):
            subprocess.run([folder / "venv" / "bin" / "tadori", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        subprocess.run([python, "-c", "import graphs; graphs.make_graph()"], check=True, cwd=folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
