"""Whether what was kept holds the answer: by the model's word that came with the grades, else by the question's own words."""

import time

import pytest
from turns import kinds, passage, runtime, turn

from nodes.sufficiency import sufficiency

BOLTS = passage("bolts", "The mount bolts of the XR-4200 need a torque of 12 Nm.")
OTHER_CODE = "What torque do the mount bolts of the XR-4300 need?"


async def checked(question="What torque do the mount bolts of the XR-4200 need?", *, knobs=None, **state):
    fields = {"kept": [BOLTS], "passages": [BOLTS], "tried": [question], "chunk_count": 100, **state}
    return await sufficiency(turn(question, **fields), runtime(**(knobs or {})), chat=None)


def said(sufficient, confidence, missing=""):
    return {"sufficient": sufficient, "confidence": confidence, "missing": missing}


@pytest.mark.rule("core-context")
async def test_without_a_model_nothing_missing_suffices():
    """core-context: the share of dropped passages has no say in it."""
    update = await checked()
    assert (update["sufficiency"], update["refetch"]) == (said(True, 1.0), False)


@pytest.mark.rule("core-context", "no-answer", "F19")
async def test_without_a_model_a_near_miss_is_told_with_what_is_missing():
    """core-context, no-answer, F19: confidently, so that it is not answered."""
    update = await checked(OTHER_CODE)
    assert (update["sufficiency"], update["refetch"]) == (said(False, 0.9, "XR-4300"), False)
    assert update["trail"][0]["reason"] == "the kept passages lack: XR-4300 (confidence 0.90)"
    assert kinds(update) == ["check"]


@pytest.mark.rule("core-context")
@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("Compare the torque of the XR-4200 with that of the XR-4300", {}),
        ("What torque do the mount bolts of the XR-4300 need?", {"sub_questions": ["a", "b"]}),
        ("The mount bolts of the XR-4300 need a torque of 12 Nm.", {}),
    ],
)
async def test_where_a_part_may_be_answered_the_rules_are_unsure_and_look_deeper(question, fields):
    """core-context: another code is there, the question has parts, or the text only states something."""
    update = await checked(question, **fields)
    assert (update["sufficiency"]["confidence"], update["refetch"]) == (0.5, True)


async def test_the_current_year_need_not_stand_in_a_text_that_is_in_force():
    question = "How long are backups kept in 2026?"
    kept = {"kept": [passage("days", "Backups are kept for 35 days.")]}
    this_year = await checked(question, knobs={"now": "2026-03-01T09:00:00+09:00"}, **kept)
    next_year = await checked(question, knobs={"now": "2027-03-01T09:00:00+09:00"}, **kept)
    assert (this_year["sufficiency"]["sufficient"], next_year["sufficiency"]["sufficient"]) == (True, False)


@pytest.mark.rule("core-context")
async def test_the_models_word_counts_before_the_rules():
    """core-context: it came with the grades, no second call."""
    given = said(True, 0.8)
    assert (await checked(OTHER_CODE, sufficiency=given))["sufficiency"] == given


@pytest.mark.rule("core-context")
@pytest.mark.parametrize(("confidence", "refetch"), [(0.2, True), (0.7, True), (0.71, False), (1.0, False)])
async def test_an_unsure_model_has_a_deeper_look_and_a_sure_one_none(confidence, refetch):
    """core-context: .7 is the border."""
    update = await checked(sufficiency=said(False, confidence, "the torque"))
    assert (update["refetch"], update["sufficiency"]["sufficient"]) == (refetch, False)


@pytest.mark.rule("core-context", "limit")
@pytest.mark.parametrize(
    "fields", [{"deeper": True}, {"web_tries": 1}, {"tried": []}, {"chunk_count": 1}, {"deadline": time.time() - 1}], ids=str
)
async def test_the_deeper_look_comes_once_and_only_where_it_can_find_more(fields):
    """core-context, limit: not twice, not after the web, not without a search, not where all was seen, not when time is over."""
    assert (await checked(sufficiency=said(False, 0.3, "x"), **fields))["refetch"] is False


@pytest.mark.rule("S9")
async def test_sources_that_disagree_are_flagged():
    """S9: five planted passages do not go unnoticed beside a true one."""
    planted = [passage(f"p{n}", "The mount bolts of the XR-4200 need a torque of 90 Nm.", document="planted.md") for n in range(5)]
    update = await checked(kept=[BOLTS, *planted])
    event = update["trail"][1]
    assert (event["kind"], event["decision"]) == ("check", "the sources disagree")
    assert event["data"]["values"] == {"ops.md": ["12"], "planted.md": ["90"]}
    assert update["sufficiency"]["sufficient"] is True


async def test_the_callers_time_is_noted_where_the_user_may_be_asked_back():
    update = await checked(knobs={"clarify": True}, deadline=time.time() + 60)
    assert 50 < update["time_left"] <= 60
    assert "time_left" not in await checked(deadline=time.time() + 60)
