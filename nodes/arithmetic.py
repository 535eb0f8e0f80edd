"""Recognises a sum in a question, in English and Japanese, and computes it exactly without ever running code.

Shared ground of the nodes; pure.
"""

import ast
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction

_MAX_CHARS = 200
_MAX_EXPONENT = 64
_MAX_DIGITS = 400
"""Numbers beyond these are not small talk, and would cost time and memory."""

_BEFORE = re.compile(
    r"^(?:please|so|and|well|what\s+is|what's|whats|what\s+does|how\s+much\s+is|how\s+much\s+are|calculate|compute|evaluate|work\s+out|solve|tell\s+me|"
    r"the\s+result\s+of|では|じゃあ|次の計算|計算して|[:,、\s])+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s*(?:equal|equals|please|=|\?|!|\.(?!\d)|。|、|は|って|の答え|の計算結果|の計算|を|計算して|計算|すると|したら|と|いくつ|いくら|何|なに|なん|幾つ|"
    r"になる|になります|なりますか|なる|です|でしょう|か|の|ください|下さい|教えて|求めて))+$",
    re.IGNORECASE,
)
_WORDS = (
    (r"\bplus\b|たす|足す", "+"),
    (r"\bminus\b|ひく|引く", "-"),
    (r"\b(?:times|multiplied\s+by)\b|かける|掛ける", "*"),
    (r"\b(?:divided\s+by|over)\b|わる|割る", "/"),
    (r"[×✕✖·]|(?<=[\d)\s])x(?=[\d(\s])", "*"),
    (r"÷|∕", "/"),
    (r"[−–—‐]|(?<=\d)ー(?=\d)", "-"),
    (r"\^", "**"),
    (r"(?<=\d),(?=\d{3}(?!\d))", ""),
    (r"(\d+(?:\.\d+)?)\s*%\s*(?:of|\*)\s*(\d+(?:\.\d+)?)", r"\1/100*\2"),
    (r"(\d+(?:\.\d+)?)\s*の\s*(\d+(?:\.\d+)?)\s*%", r"\1*\2/100"),
)
_EXPRESSION = re.compile(r"[\d\s.+\-*/()]+")
_OPERATOR = re.compile(r"(?<=[\d)])\s*(?:[+*/]|-|\*\*)\s*(?=[\d(.+-])")
_DATE_OR_PHONE = re.compile(r"\d{1,4}([-/])\d{1,4}\1\d{1,4}|0\d.*")
_RANGE_OR_RATIO = re.compile(r"\d+[-/]\d+")
"""Standing alone, "9-5" and "24/7" are times; after "what is" they are sums."""

_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}


def expression_of(question: str) -> str | None:
    """The arithmetic expression that the whole question is about, as typed but normalised, or None.

    Dates, telephone numbers and codes are no sums: "2026-11-30" and "24/7" give None.
    """
    text = unicodedata.normalize("NFKC", question).strip()
    if len(text) > _MAX_CHARS or not re.search(r"\d", text):
        return None
    for pattern, replacement in _WORDS:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    sum_ = _AFTER.sub("", _BEFORE.sub("", text)).strip()
    if not _EXPRESSION.fullmatch(sum_) or not _OPERATOR.search(sum_) or _DATE_OR_PHONE.fullmatch(sum_):
        return None
    stands_alone = text.rstrip("?.!。 ") == sum_
    return None if stands_alone and _RANGE_OR_RATIO.fullmatch(sum_) else sum_


def compute(expression: str) -> str | None:
    """The exact value as a person writes it, at most 12 decimals; None for what is no sum.

    Raises ZeroDivisionError, and OverflowError for a sum out of bounds.
    """
    try:
        tree = ast.parse(expression, mode="eval")
        value = _value(tree.body)
    except (SyntaxError, _NotASum):
        return None
    return _written(value)


class _NotASum(Exception):
    """Something else than numbers and the four operations."""


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATIONS:
            return _bounded(_OPERATIONS[type(operator)](_value(left), _value(right)))
        case _:
            raise _NotASum


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise _NotASum
    if abs(exponent) > _MAX_EXPONENT:
        raise OverflowError
    return _bounded(base ** int(exponent))


def _bounded(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**_MAX_DIGITS:
        raise OverflowError
    return value


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    rounded = round(value, 12)
    sign, digits = ("-" if rounded < 0 else ""), str(abs(rounded.numerator * (10**12 // rounded.denominator))).rjust(13, "0")
    return f"{sign}{digits[:-12]}.{digits[-12:]}".rstrip("0").rstrip(".")
