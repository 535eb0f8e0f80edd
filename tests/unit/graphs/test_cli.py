"""The command line as typed: what is parsed, and how wrong input is answered."""

import pytest

from graphs.cli import build_parser, main
from graphs.commands import parse_filters, parse_fusion
from retrievers.errors import InvalidArgument


def options(*arguments: str):
    return build_parser().parse_args(arguments)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    shown = capsys.readouterr().out
    assert stopped.value.code == 0
    assert all(name in shown for name in ("ingest", "delete", "search", "ask", "eval", "doctor", "serve"))


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
