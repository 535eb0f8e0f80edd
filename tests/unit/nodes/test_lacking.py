"""What a question names or asks for and the passages lack, told by words alone."""

import pytest
from turns import passage

from nodes.lacking import lacking

BOLTS = "The mount bolts of the XR-4200 need a torque of 12 Nm. Tighten them crosswise."
BOLTS_JA = "XR-4200の取り付けボルトの締め付けトルクは12Nmです。対角の順に締めてください。"


def lacks(question: str, *texts: str, **fields) -> list[tuple[str, str]]:
    return [(lack.kind, lack.words) for lack in lacking(question, [passage(str(n), text, **fields) for n, text in enumerate(texts)])]


@pytest.mark.rule("no-answer", "F19")
@pytest.mark.parametrize(
    ("question", "text", "kind", "words"),
    [
        ("What torque do the mount bolts of the XR-4300 need?", BOLTS, "code", "XR-4300"),
        ("XR-4300の取り付けボルトのトルクは？", BOLTS_JA, "code", "XR-4300"),
        ("XR-4300的安装螺栓扭矩是多少？", "XR-4200的安装螺栓扭矩为12Nm。", "code", "XR-4300"),
        ("What does the Scotland Act 2002 extend?", "The Scotland Act 2012 extends the devolved competencies.", "number", "2002"),
        ("2019年の売上高は？", "2021年の売上高は35億円でした。", "number", "2019"),
        ("2019年的销售额是多少？", "2021年的销售额为35亿元。", "number", "2019"),
        ("What torque do the mount bolts of the Helios need?", BOLTS, "name", "Helios"),
        ("ヘリオスの取り付けボルトの締め付けトルクは？", BOLTS_JA, "name", "ヘリオス"),
        ("How many mount bolts are there?", "The mount bolts are tightened crosswise.", "answer", "a number"),
        ("取り付けボルトは何本ありますか？", "取り付けボルトは対角に締めてください。", "answer", "数"),
        ("What does the kettle cost? How much does it cost?", "The kettle holds 1.7 litres.", "answer", "an amount of money"),
        ("ケトルの値段はいくらですか？", "ケトルの容量は1.7リットルです。", "answer", "金額"),
        ("What colour is the lid of the kettle?", "The lid of the kettle is made of steel.", "answer", "a colour"),
        ("ふたは何色ですか？", "ふたは鋼でできています。", "answer", "色"),
        ("What must the mount bolts not touch?", "The mount bolts touch the frame.", "denial", "what is not so"),
    ],
)
def test_a_near_miss_is_told_by_what_it_lacks(question, text, kind, words):
    """no-answer, F19: on topic, and the answer is not in it."""
    assert lacks(question, text)[0] == (kind, words)


@pytest.mark.rule("no-answer", "F19")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What torque do the mount bolts of the XR-4200 need?", BOLTS),
        ("What torque do the mount bolts of the xr4200 need?", BOLTS),
        ("ＸＲ－４２００のトルクは？", BOLTS_JA),
        ("What changed in 2019?", "令和元年に料金を改めました。"),
        ("What was sold in 2004?", "In the 2003-04 season 35,000 tickets were sold."),
        ("What was popular in the 1950s?", "In 1954 the waltz was popular."),
        ("How many seats are there in a hall of 35000?", "A hall of 35,000 has two seats for each."),
        ("What did Celeron answer to the old chief?", "Céloron answered the old chief with a gift."),
        ("What did the American envoy of the town bring?", "The envoy of the town from America brought a gift."),
        ("How many bolts hold it?", "Four bolts hold it."),
        ("会員は何人ですか？", "会員は三十人です。"),
        ("ケトルの値段はいくらですか？", "ケトルは無料で差し上げます。"),
        ("どんな企業がいくらでも探せますか？", "あらゆる企業を探せます。"),
        ("When should the filter be replaced?", "Replace the filter once it turns dark."),
        ("How often should I descale it?", "Descale it every month."),
        ("When was the library opened?", "The library was opened in the reign of the old king."),
        ("Why does the pump not start?", "The pump starts after its seal is replaced."),
        ("What should I do if the pump does not start?", "Check the seal of the pump."),
        ("What must not touch the bolts?", "Keep oil away from the bolts."),
        ("Which chairs are not for sale?", "All chairs except the red one are for sale."),
        ("Who leads the club?", "The club meets at noon."),
    ],
)
def test_what_is_there_in_another_form_is_not_missing(question, text):
    """no-answer, F19: an answerable question is hardly ever refused; who and where are not told by form."""
    assert lacks(question, text) == []


def test_the_name_of_the_document_and_its_date_count_too():
    assert lacks("What does the handbook of 2019 say of backups?", "Backups are kept.", document="handbook-2019.md") == []
    assert lacks("What does the handbook of 2019 say of backups?", "Backups are kept.", modified="2019-03-01T00:00:00Z") == []


def test_the_period_that_was_searched_need_not_stand_in_the_text():
    found = [passage("p", "Backups are kept for 35 days.")]
    assert [lack.words for lack in lacking("What was said of backups in 2019?", found)] == ["2019"]
    assert lacking("What was said of backups in 2019?", found, given="in 2019") == []


def test_one_of_two_codes_is_partly_there():
    (lack,) = lacking("Compare the torque of the XR-4200 and the XR-4300.", [passage("p", BOLTS)])
    assert (lack.words, lack.partly) == ("XR-4300", True)


def test_a_name_in_another_script_is_not_called_missing():
    assert lacks("What torque do the mount bolts of the Helios need?", "ヘリオスの取り付けボルトのトルクは12Nmです。") == []


def test_a_name_is_not_the_point_where_no_sentence_holds_the_rest():
    assert lacks("Which of the proposals by Helena on salaries of nurses was printed?", "Salaries rose.") == []


def test_the_family_of_a_code_stands_for_it():
    assert lacks("Does YAP1 enter the nucleus?", "YAP enters the nucleus.") == []
    assert lacks("Does YAP1 enter the nucleus?", "YAP2 enters the nucleus.") == [("code", "YAP1")]
