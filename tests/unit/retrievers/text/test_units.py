"""What belongs together is one unit."""

from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.units import BLOCK_CHARS, units


def cut(text):
    return [(unit.kind, text[unit.start : unit.end]) for unit in units(text)]


def test_prose_is_cut_into_sentences_and_headings_are_left_out():
    assert cut("# Backups\n\nThey run. They end.\n\n観測室です。閉まります。\n---\n") == [
        ("sentence", "They run."),
        ("sentence", "They end."),
        ("sentence", "観測室です。"),
        ("sentence", "閉まります。"),
    ]


def test_a_code_block_is_whole_with_its_lead_in():
    block = "Then check:\n\n```sh\ntadori doctor\n\n# not a heading\n```"
    assert cut(f"{block}\nDone.") == [("code", block), ("sentence", "Done.")]


def test_a_lead_in_goes_with_the_paragraph_after_it():
    text = "Indexes help.\n\nTo build one without locking:\n\nCREATE INDEX CONCURRENTLY i\n    ON t (c);\n\nSee also."
    assert cut(text)[1] == ("code", "To build one without locking:\n\nCREATE INDEX CONCURRENTLY i\n    ON t (c);")


def test_a_lead_in_to_a_long_paragraph_takes_its_first_sentence():
    first = "It is a long story that nobody wants to hear."
    assert cut(f"In short:\n\n{first} {'It goes on and on. ' * 30}")[0] == ("code", f"In short:\n\n{first}")


def test_a_lead_in_to_a_short_list_takes_it_whole():
    assert cut("Bring:\n- a cup\n- a pot") == [("code", "Bring:\n- a cup\n- a pot")]


def test_a_lead_in_to_a_table_stays_alone():
    assert [kind for kind, _ in cut("The codes are:\n\n| Code |\n|---|\n| E-17 |")] == ["sentence", "row"]


def test_a_fence_that_is_not_closed_lasts_to_the_end():
    assert cut("```\na\n\nb") == [("code", "```\na\n\nb")]


def test_a_list_of_steps_is_whole_with_blank_lines_and_what_is_indented():
    steps = "1. Park.\n\n   Wait.\n2. Open.\n   - mind the cable\n3. Grease."
    assert cut(f"{steps}\n\nRest.") == [("steps", steps), ("sentence", "Rest.")]


def test_japanese_steps_are_steps():
    assert cut("手順：\n①切る。\n②待つ。") == [("steps", "手順：\n①切る。\n②待つ。")]


def test_bullets_are_units_of_their_own_without_their_mark():
    assert cut("- Keys stay.\n- The rota\n  changes weekly.\n・三つ目です。") == [
        ("item", "Keys stay."),
        ("item", "The rota\n  changes weekly."),
        ("item", "三つ目です。"),
    ]


def test_table_rows_know_their_header():
    text = "| Code | Meaning |\n|---|---|\n| E-17 | lost |\n| E-23 | warm |"
    rows = units(text)
    assert [text[row.start : row.end] for row in rows] == ["| E-17 | lost |", "| E-23 | warm |"]
    assert {text[slice(*row.header)] for row in rows} == {"| Code | Meaning |"}


def test_a_table_without_a_header_is_all_rows():
    assert cut("| E-17 | lost |\n| E-23 | warm |") == [("row", "| E-17 | lost |"), ("row", "| E-23 | warm |")]


def test_a_block_that_is_too_long_to_quote_is_cut_into_its_items():
    steps = "\n".join(f"{number}. {'x' * 100}" for number in range(1, 20))
    assert len(steps) > BLOCK_CHARS
    assert {kind for kind, _ in cut(steps)} == {"item"}
    assert len(cut(steps)) == 19


def test_nothing_has_no_units():
    assert cut("") == cut("\n \n") == cut("# Only a heading") == []


@given(st.text(alphabet=st.sampled_from("ab .。\n`-|1#:・ 観"), max_size=120))
def test_units_lie_in_order_without_overlap_and_without_white_space_at_their_ends(text):
    end = 0
    for unit in units(text):
        assert end <= unit.start < unit.end <= len(text)
        assert text[unit.start : unit.end].strip() == text[unit.start : unit.end]
        end = unit.end


def test_who_changes_the_units_of_a_text_changes_them_for_nobody_else():
    units("They run. They end.").clear()
    assert cut("They run. They end.") == [("sentence", "They run."), ("sentence", "They end.")]


def test_a_text_too_long_to_be_remembered_is_cut_alike():
    assert cut("They run. " * 1000) == [("sentence", "They run.")] * 1000
