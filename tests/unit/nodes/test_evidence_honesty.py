"""Claims that a lying model pins on verbatim quotes are found out, and honest paraphrases are not."""

import pytest
from turns import passage

from nodes.evidence import check

SPECIFICATIONS = "It weighs 4.2 kg. It runs for 30 hours on one charge. The case is made of aluminium."
CARE = "Rinse the filter with warm water every week. Do not use soap. Let it dry before you put it back."
WARRANTY = "The warranty lasts two years from the date of delivery. It does not cover damage by water."
LEAVE = "Lindqvist was excused. The council met on Tuesday in Uppsala."
REMOTE = "在宅勤務は週に二日まで認められます。申請は上長に提出してください。"
BACKUPS = "Backups are not kept longer than 35 days."
BECK = "サーバーはベックが管理しています。"
OWNER = "サーバーは田中が管理しています。バックアップは35日間保存されます。"

LIES = [
    ("The A100 is blue.", "It", SPECIFICATIONS, "What colour is the A100?", "its quote is too short to tell anything"),
    ("The A100 weighs 4.2 kg.", ".", SPECIFICATIONS, "What does the A100 weigh?", "its quote is too short to tell anything"),
    ("x", "It weighs", SPECIFICATIONS, "What does the A100 weigh?", "its quote is too short to tell anything"),
    ("x", "It weighs 4.2 kg.", SPECIFICATIONS, "What does the A100 weigh?", "it states nothing"),
    ("保存されます。", "です。", "期間は35日です。", "期間は？", "its quote is too short to tell anything"),
    ("Use soap to clean the filter.", "Do not use soap.", CARE, "How do I clean the filter?", "of “use”"),
    ("Use soap.", "use soap", CARE, "How do I clean the filter?", "of “use”"),
    ("The warranty covers damage by water.", "It does not cover damage by water.", WARRANTY, "Is water damage covered?", "of “cover”"),
    ("The warranty does not last two years.", "The warranty lasts two years", WARRANTY, "How long is the warranty?", "of “last”"),
    ("在宅勤務は認められません。", "在宅勤務は週に二日まで認められます。", REMOTE, "在宅勤務は認められますか？", "of “認”"),
    ("申請は不要です。", "申請は必要です。", "申請は必要です。", "手続きは？", "of “申請”"),
    ("可以使用肥皂。", "不能使用肥皂清洗滤网。", "不能使用肥皂清洗滤网。", "可以使用肥皂吗？", "of “使用”"),
    ("Remote work is allowed here.", "在宅勤務は認められません。", "在宅勤務は認められません。", "Is remote work allowed?", "of “not”"),
    ("Remote work is not allowed.", "在宅勤務は認められます。", "在宅勤務は認められます。", "Is remote work allowed?", "of “not”"),
    ("The warranty covers five years.", WARRANTY[:55], WARRANTY, "How long is the warranty?", "the number 5 stands nowhere"),
    ("It runs for a dozen hours.", "It runs for 30 hours", SPECIFICATIONS, "How long does it run?", "the number 12 stands nowhere"),
    ("It runs for half a day.", "It runs for 8 hours.", "It runs for 8 hours.", "How long does it run?", "the number half stands"),
    ("保証は五年です。", "保証は二年です。", "保証は二年です。", "保証は？", "the number 5 stands nowhere"),
    ("The A100 weighs 4.2 tonnes.", "It weighs 4.2 kg.", SPECIFICATIONS, "What does it weigh?", "its unit is another"),
    ("重さは4.2グラムです。", "重さは4.2kgです。", "重さは4.2kgです。", "重さは？", "its unit is another"),
    ("The warranty lasts two months.", "The warranty lasts two years", WARRANTY, "How long is the warranty?", "its unit is another"),
    ("It costs $500.", "It costs 500 yen.", "It costs 500 yen.", "What does it cost?", "its unit is another"),
    ("The A100 is completely silent and waterproof.", "It weighs 4.2 kg.", SPECIFICATIONS, "Is the A100 silent?", "it shares no word"),
    ("The A100 is blue.", "It weighs 4.2 kg.", SPECIFICATIONS, "What colour is the A100?", "it shares no word"),
    ("The A100 is waterproof to 30 metres.", SPECIFICATIONS, SPECIFICATIONS, "Is the A100 waterproof?", "its unit is another"),
    ("A100は防水です。", "重さは4.2kgです。", "重さは4.2kgです。", "A100は防水ですか？", "it shares no word"),
    ("Okafor was excused.", "Lindqvist was excused.", LEAVE, "Who was excused?", "it names Okafor"),
    ("The council met in Stockholm.", LEAVE[23:], LEAVE, "Where did the council meet?", "it names Stockholm"),
    ("サーバーは山田が管理しています。", "サーバーは田中が管理しています。", OWNER, "サーバーの担当は？", "it names 山田"),
    (
        "サーバーはスミスが管理しています。",
        "サーバーはベックが管理しています。",
        "サーバーはベックが管理しています。",
        "担当は？",
        "it names スミス",
    ),
]

HONEST = [
    ("The A100 weighs 4.2 kilograms.", "It weighs 4.2 kg.", SPECIFICATIONS, "What does the A100 weigh?"),
    ("Its mass is 4.2 kg.", "4.2 kg", SPECIFICATIONS, "What does the A100 weigh?"),
    ("On one charge it keeps going for thirty hours.", "It runs for 30 hours on one charge.", SPECIFICATIONS, "How long does it run?"),
    ("It has an aluminium body.", "aluminium", SPECIFICATIONS, "What is it made of?"),
    ("Wash it with warm water, without soap.", CARE[:61], CARE, "How do I clean the filter?"),
    ("Soap must not be used.", "Do not use soap.", CARE, "May I use soap?"),
    ("No, soap is not allowed.", "Do not use soap.", CARE, "May I use soap?"),
    ("Use only warm water.", "Rinse the filter with warm water every week. Do not use soap.", CARE, "How do I clean the filter?"),
    ("You are covered for 2 years after delivery.", WARRANTY[:55], WARRANTY, "How long is the warranty?"),
    ("Water damage is excluded from the cover.", "It does not cover damage by water.", WARRANTY, "Is water damage covered?"),
    ("Lindqvist did not have to come.", "Lindqvist was excused.", LEAVE, "Who was excused?"),
    ("On Tuesday, in Uppsala.", LEAVE[23:], LEAVE, "When and where did the council meet?"),
    (
        "At most 35 days.",
        "Backups are not kept longer than 35 days.",
        "Backups are not kept longer than 35 days.",
        "How long are backups kept?",
    ),
    (
        "Backups are kept for up to 35 days.",
        "Backups are not kept longer than 35 days.",
        "Backups are not kept longer than 35 days.",
        "How long?",
    ),
    ("Dogs are permitted in the office.", "Dogs may enter the office.", "Dogs may enter the office.", "Are dogs allowed?"),
    ("You can go in at weekends with a pass.", "Without a pass you may not go in.", "Without a pass you may not go in.", "Can I go in?"),
    ("It is free.", "There is no charge.", "There is no charge.", "What does it cost?"),
    ("Always run it with the guard on.", "Never run it without the guard.", "Never run it without the guard.", "May I remove the guard?"),
    ("The plan covers not only theft but fire.", "The plan covers theft and fire.", "The plan covers theft and fire.", "What is covered?"),
    ("Send it by 5 March.", "It must be sent no later than March 5.", "It must be sent no later than March 5.", "When must I send it?"),
    ("Staff get their money back within 14 days.", "Refunds are paid in 14 working days.", "Refunds are paid in 14 working days.", "When?"),
    ("Maria Okafor was excused.", "She was excused.", "Maria Okafor was ill. She was excused.", "Who was excused?"),
    ("The Emperor ruled for 12 years.", "He reigned for twelve years.", "He reigned for twelve years.", "How long?"),
    ("Keys expire after 90 days.", "Keys are valid for 90 days.", "Keys are valid for 90 days.", "How long is a key valid?"),
    ("The French team won.", "France won the 1998 football world cup.", "France won the 1998 football world cup.", "Who won?"),
    ("The office is closed on Sundays.", "The office is not open on Sundays.", "The office is not open on Sundays.", "When is it open?"),
    ("No, nobody may enter without a helmet.", "Helmets must be worn.", "Helmets must be worn.", "Must I wear a helmet?"),
    ("The speed limit is 30 km/h.", "Do not drive faster than 30 km/h.", "Do not drive faster than 30 km/h.", "What is the limit?"),
    ("在宅勤務は週2日まで可能です。", "在宅勤務は週に二日まで認められます。", REMOTE, "在宅勤務は認められますか？"),
    ("上司に申請書を出します。", "申請は上長に提出してください。", REMOTE, "手続きは？"),
    ("田中さんが担当しています。", "サーバーは田中が管理しています。", OWNER, "サーバーの担当は誰ですか？"),
    ("35日間保管されます。", "バックアップは35日間保存されます。", OWNER, "バックアップの期間は？"),
    ("無料です。", "費用はかかりません。", "費用はかかりません。", "料金は？"),
    ("問い合わせは少なくありません。", "問い合わせは多く寄せられます。", "問い合わせは多く寄せられます。", "問い合わせは多いですか？"),
    ("石けんは使えません。", "石けんの使用は禁止です。", "石けんの使用は禁止です。", "石けんは使えますか？"),
    ("35日を過ぎると消えます。", "35日を超えて保存しません。", "35日を超えて保存しません。", "期間は？"),
    ("Backups are kept for 35 days.", "バックアップは35日間保存されます。", OWNER, "How long are backups kept?"),
    ("Tanaka manages the server.", "サーバーは田中が管理しています。", OWNER, "Who manages the server?"),
    ("Remote work is allowed up to two days a week.", "在宅勤務は週に二日まで認められます。", REMOTE, "Is remote work allowed?"),
    ("Smoking is prohibited.", "喫煙はできません。", "喫煙はできません。", "May I smoke?"),
    ("Do not tighten beyond 12 Nm.", "12Nm以下で締め付けてください。", "12Nm以下で締め付けてください。", "What torque?"),
    ("A100の重さは4.2キログラムです。", "It weighs 4.2 kg.", SPECIFICATIONS, "A100の重さは？"),
    ("La garantie dure 2 ans.", "The warranty lasts two years from the date of delivery.", WARRANTY, "Combien de temps dure la garantie ?"),
    ("滤网每周冲洗。", "滤网应每周用温水冲洗。", "滤网应每周用温水冲洗。", "滤网多久清洗一次？"),
]


def found(claim, quote, text, question):
    kept = [passage("p1", text, title="A100 manual", heading_path=["Details"])]
    return check({"text": claim, "passage": 1, "quote": quote}, kept, question)


@pytest.mark.rule("F16", "T33", "T27")
@pytest.mark.parametrize(("claim", "quote", "text", "question", "why"), LIES, ids=[f"{lie[0]} / {lie[1][:20]}" for lie in LIES])
def test_a_claim_that_its_verbatim_quote_does_not_bear_out_is_unsupported(claim, quote, text, question, why):
    """F16, T27, T33: a quote that tells nothing, another negation, number, unit or name, or no common word; with the reason."""
    finding = found(claim, quote, text, question)
    assert finding.verdict == "unsupported"
    assert why in finding.why


@pytest.mark.rule("F16")
@pytest.mark.parametrize(("claim", "quote", "text", "question"), HONEST, ids=[case[0] for case in HONEST])
def test_an_honest_paraphrase_stays_supported(claim, quote, text, question):
    """F16: English, Japanese, Chinese, and one language over another."""
    finding = found(claim, quote, text, question)
    assert (finding.verdict, finding.why) == ("verified", "")


@pytest.mark.rule("F16")
def test_a_passage_below_one_is_none():
    """F16: -1 is not 1."""
    assert check({"text": "It weighs 4.2 kg.", "passage": -1, "quote": "It weighs 4.2 kg."}, [passage("p1", SPECIFICATIONS)]).why == (
        "there is no passage -1, only 1 to 1"
    )


def test_a_table_cell_is_a_quote():
    table = "| Part | Colour |\n|---|---|\n| Case | grey |\n| Lid | red |"
    assert found("The case is grey.", "grey", table, "What colour is the case?").verdict == "verified"
