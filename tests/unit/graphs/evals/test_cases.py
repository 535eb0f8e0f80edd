"""Reading a folder of cases: order, limits, the unanswerable ones, and what is refused."""

import json
from pathlib import Path

import pytest

from graphs.evals.cases import Case, Unanswerable, collection_name, corpus_file, read_cases
from retrievers.errors import InvalidArgument


@pytest.fixture
def folder(tmp_path):
    """Three judged questions, two unanswerable ones of one kind and one of another, one question nobody asks."""
    rows = [{"_id": name, "text": f"text of {name}\u2028with a rare line end"} for name in ("q1", "q2", "q3", "u1", "u2", "u3", "spare")]
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
    (tmp_path / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\nq1\td1\t2\nq2\td2\t1\nq1\td9\t0\nq3\td3\t1\n")
    (tmp_path / "unanswerable_dev.tsv").write_text("query-id\tkind\nu1\tout_of_corpus\nu2\tout_of_corpus\nu3\tadversarial\n")
    return tmp_path


def text(name):
    return f"text of {name}\u2028with a rare line end"


def test_questions_come_in_the_tables_order_with_all_their_gold(folder):
    assert read_cases(folder, "dev.tsv").answerable == (
        Case("q2", text("q2"), {"d1": 1, "d2": 1}),
        Case("q1", text("q1"), {"d1": 2}),
        Case("q3", text("q3"), {"d3": 1}),
    )


def test_a_limit_counts_distinct_questions_and_keeps_all_their_gold(folder):
    cases = read_cases(folder, "dev.tsv", limit=1)
    assert cases.answerable == (Case("q2", text("q2"), {"d1": 1, "d2": 1}),)
    assert [(case.id, case.kind) for case in cases.unanswerable] == [("u1", "out_of_corpus"), ("u3", "adversarial")]


def test_the_unanswerable_ones_of_the_same_name_are_read(folder):
    (folder / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    assert read_cases(folder, "test.tsv").unanswerable == ()
    assert read_cases(folder, "dev.tsv").unanswerable[2] == Unanswerable("u3", text("u3"), "adversarial")


def test_line_ends_of_windows_are_read(folder):
    (folder / "dos.tsv").write_bytes(b"query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\n")
    assert read_cases(folder, "dos.tsv").answerable == (Case("q1", text("q1"), {"d1": 1}),)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\n", "line 2 .* has 2 columns instead of 3"),
        ("query-id\tcorpus-id\tscore\nq1\td1\thigh\n", "'high', which is not a whole number"),
        ("query-id\tcorpus-id\tscore\nq8\td1\t1\n", "query 'q8' is not in"),
        ("query-id\tcorpus-id\tscore\n", "holds no questions"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(folder, table, message):
    (folder / "bad.tsv").write_text(table)
    with pytest.raises(InvalidArgument, match=message):
        read_cases(folder, "bad.tsv")


@pytest.mark.parametrize("line", ["{", '{"_id": "q1"}', "[]", "1"])
def test_a_query_line_that_does_not_fit_is_named(folder, line):
    (folder / "queries.jsonl").write_text(line)
    with pytest.raises(InvalidArgument, match=r"line 1 of .*queries\.jsonl"):
        read_cases(folder, "dev.tsv")


def test_what_is_missing_is_named(folder):
    with pytest.raises(InvalidArgument, match=r"none\.tsv' cannot be read: No such file"):
        read_cases(folder, "none.tsv")
    with pytest.raises(InvalidArgument, match="limit is 0"):
        read_cases(folder, "dev.tsv", limit=0)
    with pytest.raises(InvalidArgument, match=r"corpus\.jsonl' is not there"):
        corpus_file(folder, folder / "other" / "corpus.jsonl")


def test_the_corpus_is_the_folders_own_or_the_one_given(folder):
    assert corpus_file(folder, None) == folder / "corpus.jsonl"
    assert corpus_file(folder / "elsewhere", folder) == folder / "corpus.jsonl"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/data/jsquad/corpus.jsonl", "eval-jsquad"),
        ("/data/My Set/corpus.jsonl", "eval-my-set"),
        ("/data/jsquad/small.jsonl", "eval-jsquad-small"),
    ],
)
def test_the_collection_is_named_after_the_corpus_folder(path, name):
    assert collection_name(Path(path)) == name
