"""Commands as typed, run in this process as a fresh tenant of the tests' own server."""

from pathlib import Path

import pytest
from commanding import Run

from graphs.cli import main
from graphs.settings import Settings, variable


@pytest.fixture
def run(server_home: Path, tenant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run a command with these settings and no others of the machine's: (exit code, stdout, stderr)."""
    for name in Settings.model_fields:
        monkeypatch.delenv(variable(name), raising=False)
    monkeypatch.setenv("TADORI_HOME", str(server_home))
    monkeypatch.setenv("TADORI_TENANT", tenant)
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, **settings: str) -> tuple[int, str, str]:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command
