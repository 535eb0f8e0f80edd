"""The notebooks run offline from top to bottom, and are stored without outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
KEYS = ("TADORI_CHAT_MODEL", "TADORI_DATABASE_URL", "TADORI_WEB_SEARCH", "TADORI_RERANKER")


def test_there_is_a_notebook() -> None:
    assert [path.name for path in NOTEBOOKS] == ["01_ask.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_stored_without_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert [cell for cell in cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_runs_offline_from_top_to_bottom(path: Path, server_home: Path, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("TADORI_HOME", str(server_home))
    monkeypatch.setenv("TADORI_TENANT", tenant)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    assert len(outputs) >= 6
