"""The command line as typed: what is parsed, and how wrong input is answered."""

import io
import socket
import sys

import pytest

from graphs.cli import build_parser, main
from graphs.commands import accept_any_text, show
from graphs.parsing import parse_budgets, parse_filters, parse_fusion
from retrievers.errors import InvalidArgument


def options(*arguments: str):
    return build_parser().parse_args(arguments)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    shown = capsys.readouterr().out
    assert stopped.value.code == 0
    assert all(name in shown for name in ("ingest", "delete", "search", "ask", "eval", "reindex", "doctor", "serve"))


@pytest.mark.parametrize("arguments", [["ask"], ["search", "x", "--k", "many"], ["nonsense"], ["search", "x", "--mode", "both"]])
def test_a_usage_error_is_one_line_on_stderr_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    shown = capsys.readouterr()
    assert stopped.value.code == 2
    assert shown.out == ""
    assert shown.err.startswith("tadori: ")
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (None, None)),
        ("absolute", ("absolute", None)),
        ("rrf", ("rrf", None)),
        ("weighted", ("weighted", None)),
        ("weighted:.4,.6", ("weighted", (0.4, 0.6))),
        ("weighted:3,7", ("weighted", (3.0, 7.0))),
    ],
)
def test_fusion_is_a_name_or_two_weights(given: str | None, expected: object) -> None:
    assert parse_fusion(given) == expected


@pytest.mark.parametrize(
    "given",
    ["", "best", "rrf:1,2", "weighted:", "weighted:1", "weighted:a,b", "weighted:-1,1", "weighted:0,0", "weighted:nan,1", "weighted:inf,1"],
)
def test_any_other_fusion_is_refused(given: str) -> None:
    if given == "":
        assert parse_fusion(given) == (None, None)
        return
    with pytest.raises(InvalidArgument):
        parse_fusion(given)


def test_filters_keep_every_pair_and_the_rest_of_an_equals_sign() -> None:
    filters = parse_filters(options("search", "x", "--filter", "tag=a", "--filter", "tag=b", "--filter", "formula=a=b"))
    assert filters.metadata == (("tag", "a"), ("tag", "b"), ("formula", "a=b"))


@pytest.mark.parametrize("given", ["novalue", "=x"])
def test_a_filter_without_key_and_value_is_refused(given: str) -> None:
    with pytest.raises(InvalidArgument, match="is not KEY=VALUE"):
        parse_filters(options("search", "x", "--filter", given))


def test_a_date_without_a_zone_is_the_users_own() -> None:
    filters = parse_filters(options("search", "x", "--since", "2026-11-30", "--until", "2026-12-01T00:00+09:00"))
    assert filters.since is not None
    assert filters.since.tzinfo is not None
    assert filters.until is not None
    assert filters.until.isoformat() == "2026-12-01T00:00:00+09:00"


def test_a_wrong_date_says_how_to_write_one() -> None:
    with pytest.raises(InvalidArgument, match=r"--since 'yesterday'.*2026-11-30"):
        parse_filters(options("search", "x", "--since", "yesterday"))


def test_a_date_at_the_end_of_the_calendar_is_refused_like_any_wrong_one() -> None:
    with pytest.raises(InvalidArgument, match="--since '0001-01-01'"):
        parse_filters(options("search", "x", "--since", "0001-01-01"))


@pytest.mark.parametrize("question", ["", " \n\t"])
def test_no_question_is_a_usage_error(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", question]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "there is no question" in shown.err


def stdout(monkeypatch: pytest.MonkeyPatch, encoding: str) -> io.BytesIO:
    """What is printed from now on, in bytes."""
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding=encoding))
    return shown


def test_a_terminal_that_lacks_a_character_sees_its_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = stdout(monkeypatch, "ascii")
    accept_any_text()
    assert show("keys ✓ 鍵") == 0
    assert shown.getvalue() == b"keys \\u2713 \\u9375\n"


def test_json_is_utf8_whatever_the_locale_and_names_a_file_that_is_no_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = stdout(monkeypatch, "ascii")
    accept_any_text(utf8=True)
    assert show('{"path": "鍵\udcff.md"}') == 0
    assert shown.getvalue() == '{"path": "鍵\\udcff.md"}\n'.encode()


def test_a_full_disk_is_one_line_on_stderr(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert show("text") == 1
    assert capsys.readouterr().err == "tadori: the result could not be written to stdout: No space left on device\n"


def test_a_port_in_use_is_said_and_no_other_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    assert f"tadori: cannot listen on 127.0.0.1:{port}: " in capsys.readouterr().err


@pytest.mark.rule("limit")
def test_budgets_are_options_of_a_question() -> None:
    """limit: seconds, calls and tokens; what was not given is no limit."""
    given = options("ask", "x", "--deadline", "2.5", "--max-model-calls", "0", "--max-tokens", "900", "--clarify")
    assert parse_budgets(given) == {"deadline_s": 2.5, "max_model_calls": 0, "max_tokens": 900, "clarify": True}
    assert parse_budgets(options("ask", "x")) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--deadline", "0"], "--deadline 0.0: input should be greater than 0"),
        (["--deadline", "nan"], "--deadline nan: "),
        (["--max-model-calls", "-1"], "--max-model-calls -1: input should be greater than or equal to 0"),
        (["--max-tokens", "9999999"], "--max-tokens 9999999: input should be less than or equal to 1000000"),
    ],
)
def test_a_budget_out_of_bounds_is_a_usage_error(given: list[str], said: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        parse_budgets(options("ask", "x", *given))
    assert str(raised.value).startswith(said)
