"""A claim stands where its quote stands in the passage that it names, and nowhere else."""

import pytest
from turns import passage

from nodes.evidence import check, claims_in, without_markers

PASSAGES = [
    passage("p1", "Tighten the bolts to 12 Nm. Use a torque wrench."),
    passage("p2", "ＸＲ－４２００ のトルクは\n12Nmです。"),
    passage("p3", "Backups are kept for 35 days."),
]


def claim(text="Tighten the bolts to 12 Nm.", passage=1, quote=None):
    return {"text": text, "passage": passage, "quote": quote}


@pytest.mark.rule("F16")
def test_a_verbatim_quote_is_verified_with_its_place():
    """F16: offsets into the passage."""
    found = check(claim("A torque wrench is used.", quote="Use a torque wrench."), PASSAGES)
    assert (found.verdict, found.start, found.end) == ("verified", 28, 48)


@pytest.mark.rule("F16")
def test_widths_and_line_breaks_do_not_matter():
    """F16: compared after NFKC and white-space folding."""
    found = check(claim("トルクは12Nmです。", 2, "XR-4200のトルクは12Nmです。"), PASSAGES)
    assert found.verdict == "verified"
    assert PASSAGES[1]["text"][found.start : found.end] == PASSAGES[1]["text"]


@pytest.mark.rule("F16")
@pytest.mark.parametrize(
    ("made", "why"),
    [
        (claim(passage=7), "there is no passage 7, only 1 to 3"),
        (claim(passage=0), "there is no passage 0"),
        (claim(passage=None), "it names no passage"),
        (claim(quote="Tighten the bolts to 13 Nm."), "its quote does not stand in passage 1"),
        (claim(quote="Backups are kept for 35 days."), "its quote does not stand in passage 1"),
        (claim("TIGHTEN", quote="tighten the BOLTS to 12 nm"), "its quote does not stand in passage 1"),
    ],
    ids=["out of range", "zero", "none", "made up", "of another passage", "other letters"],
)
def test_what_does_not_stand_there_is_unsupported(made, why):
    """F16: out of range, made up, or from another passage: never "the nearest"."""
    found = check(made, PASSAGES)
    assert found.verdict == "unsupported"
    assert found.why.startswith(why)


def test_a_claim_without_a_quote_rests_on_the_sentence_that_it_repeats():
    found = check(claim("The bolts are tightened to 12 Nm."), PASSAGES)
    assert (found.verdict, found.start, found.end) == ("verified", 0, 27)


def test_a_claim_without_a_quote_that_repeats_nothing_is_not_verified():
    assert check(claim("The observatory opened in 1987."), PASSAGES).verdict == "unquoted"


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Use 12 Nm [1]. Wait [2][3].", [("Use 12 Nm.", 1), ("Wait.", 2), ("Wait.", 3)]),
        ("Use 12 Nm. [1] Wait a day. [2, 3]", [("Use 12 Nm.", 1), ("Wait a day.", 2), ("Wait a day.", 3)]),
        ("12Nmです。【1】翌日まで待ちます[2]。", [("12Nmです。", 1), ("翌日まで待ちます。", 2)]),
        ("No marker here.", [("No marker here.", None)]),
        ("[1]", []),
        ("", []),
    ],
)
def test_markers_are_read_from_text(answer, claims):
    assert [(entry["text"], entry["passage"]) for entry in claims_in(answer)] == claims


def test_markers_are_taken_out_of_text():
    assert without_markers("Use 12 Nm [1][2], or 【3】 more (4).") == "Use 12 Nm, or more (4)."
