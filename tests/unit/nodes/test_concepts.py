"""A question of several concepts is told from one of one, in English and Japanese."""

import pytest

from nodes.concepts import Concepts, concepts_of

COMPARED = [
    ("What is the difference between a lexical and a vector index?", ("lexical index", "vector index")),
    (
        "What are the differences between XR-4200 and XR-4300 in terms of torque?",
        ("XR-4200 in terms of torque", "XR-4300 in terms of torque"),
    ),
    ("What is the difference between HNSW, IVFFlat and binary quantisation?", ("HNSW", "IVFFlat", "binary quantisation")),
    ("Compare the warranty of XR-4200 and XR-4300.", ("warranty of XR-4200", "warranty of XR-4300")),
    ("HNSW vs IVFFlat", ("HNSW", "IVFFlat")),
    ("How does SCRAM differ from MD5?", ("SCRAM", "MD5")),
    ("Who is older, Ann Lee or Bob Ray?", ("Ann Lee Who is older", "Bob Ray Who is older")),
    ("Are the blue kettle and the red kettle both made of steel?", ("blue kettle made of steel", "red kettle made of steel")),
    ("XR-4200とXR-4300の違いは何ですか？", ("XR-4200", "XR-4300")),
    ("XR-4200とXR-4300の締付トルクの違いは？", ("XR-4200の締付トルク", "XR-4300の締付トルク")),
    ("東京と大阪と京都の違いは？", ("東京", "大阪", "京都")),
    ("正社員と契約社員の有給日数を比較してください", ("正社員の有給日数", "契約社員の有給日数")),
    ("部分インデックスは通常のインデックスとどう違いますか", ("部分インデックス", "通常のインデックス")),
    ("HNSW対IVFFlat", ("HNSW", "IVFFlat")),
    ("What is the difference between the warranty of the XR-4200 and the XR-4300?", ("warranty of XR-4200", "warranty of XR-4300")),
    ("Differences between the population of Poland and Germany", ("population of Poland", "population of Germany")),
    ("What is the difference between the fees for the pump and the filter?", ("fees for pump", "fees for filter")),
    ("Difference between the boiling point of water and ethanol", ("boiling point of water", "boiling point of ethanol")),
    (
        "What is the difference between the laws of thermodynamics and the laws of motion?",
        ("laws of thermodynamics", "laws of motion"),
    ),
    ("XR-4200の保証とXR-4300の違いは何ですか", ("XR-4200の保証", "XR-4300の保証")),
    ("XR-4200の保証はXR-4300とどう違いますか", ("XR-4200の保証", "XR-4300の保証")),
    ("XR-4200の保証とXR-4300の保証の違いは？", ("XR-4200の保証", "XR-4300の保証")),
    ("XR-4200とXR-4300の保証はどう違いますか", ("XR-4200の保証", "XR-4300の保証")),
    ("お茶とコーヒーでは、保存期間がどう違いますか", ("お茶の保存期間", "コーヒーの保存期間")),
]

NOT_SHARED = [
    ("What is the difference between a state of emergency and martial law?", ("state of emergency", "martial law")),
    ("Difference between the cost of living and wages", ("cost of living", "wages")),
    ("What is the difference between the House of Commons and Congress?", ("House of Commons", "Congress")),
    ("Difference between the state of Texas and Mexico", ("state of Texas", "Mexico")),
    ("会社の社員と契約社員の有給休暇の違いは？", ("会社の社員の有給休暇", "契約社員の有給休暇")),
]


@pytest.mark.rule("q-detect", "q-decompose")
@pytest.mark.parametrize(("question", "parts"), COMPARED)
def test_a_comparison_has_a_query_for_each_side(question, parts):
    """q-detect, q-decompose: difference, comparison, versus; what both are asked about goes with each."""
    assert concepts_of(question) == Concepts("comparison", parts)


@pytest.mark.rule("q-decompose")
@pytest.mark.parametrize(("question", "parts"), NOT_SHARED)
def test_what_belongs_to_one_side_stays_with_it(question, parts):
    """q-decompose: "of" in a fixed expression or a name says nothing of the other side."""
    assert concepts_of(question) == Concepts("comparison", parts)


@pytest.mark.rule("q-detect")
@pytest.mark.parametrize(
    ("question", "cue", "parts"),
    [
        (
            "How many days of leave do managers and engineers each get?",
            "each",
            ("managers days of leave get", "engineers days of leave get"),
        ),
        ("東京と大阪のそれぞれの家賃は？", "each", ("東京の家賃", "大阪の家賃")),
        ("What is the relationship between humidity and mould?", "relation", ("humidity", "mould")),
        ("湿度と粘着力の関係は？", "relation", ("湿度", "粘着力")),
        ("How does humidity affect adhesion?", "influence", ("humidity", "adhesion")),
        ("What is the effect of humidity on adhesion?", "influence", ("humidity", "adhesion")),
        ("湿度が粘着力に与える影響は？", "influence", ("湿度", "粘着力")),
        (
            "What is the price of both the basic plan and the team plan?",
            "several",
            ("What is the price of basic plan", "What is the price of team plan"),
        ),
        ("京都と奈良の両方の開館時間を知りたい", "several", ("京都の開館時間を知りたい", "奈良の開館時間を知りたい")),
    ],
)
def test_each_relation_and_influence_are_cues(question, cue, parts):
    """q-detect: each, relation, influence, in both languages."""
    assert concepts_of(question) == Concepts(cue, parts)


@pytest.mark.rule("q-detect", "F6")
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the price of the XR-4200? And who delivers it?",
            ("What is the price of the XR-4200", "What is the price of the XR-4200 who delivers it"),
        ),
        ("解約手数料はいくらで、いつ請求されますか", ("解約手数料はいくらで", "解約手数料はいつ請求されますか")),
        ("保証期間は何年ですか。また、送料はいくらですか？", ("保証期間は何年ですか", "送料はいくらですか")),
    ],
)
def test_two_questions_are_two_and_the_second_keeps_its_subject(question, parts):
    """q-detect, F6: what the second leaves out comes from the first."""
    assert concepts_of(question) == Concepts("questions", parts)


@pytest.mark.rule("q-detect", "kg")
@pytest.mark.parametrize(
    "question",
    [
        "Where was the director of the film that opened the festival born, in the city where the fair is held?",
        "What is the native language of the person who wrote the manual?",
        "Who is the spouse of the founder of the tea house?",
        "A社を創業した人の出身地はどこですか",
        "XR-4200を設計した部署の責任者は誰ですか",
    ],
)
def test_a_thing_that_is_described_by_another_is_a_chain(question):
    """q-detect, kg: several hops; no rule can write the second question before the first is answered."""
    assert concepts_of(question) == Concepts("chain", ())
    assert concepts_of(question).relates


@pytest.mark.rule("q-detect")
@pytest.mark.parametrize(
    "question",
    [
        "Where are backups and snapshots kept?",
        "What are the terms and conditions?",
        "Who is responsible for research and development?",
        "What happens between Monday and Friday?",
        "Which colour, red or blue, does the lamp show?",
        "How long is the warranty?",
        "When and where was the meeting held?",
        "研究と開発の責任者は誰ですか？",
        "友人と行く旅行の費用は？",
        "契約と違う点は？",
        "第三者に対抗するには？",
        "この件について社長はなんと言いましたか",
        "",
        "? 、。",
        "a and b " * 400,
    ],
)
def test_a_question_of_one_concept_is_left_whole(question):
    """q-detect: "and" alone is no cue; in doubt one search."""
    assert concepts_of(question) is None
