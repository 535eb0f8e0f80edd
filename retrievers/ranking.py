"""How a collection scores its candidates, with the bounds that keep an order an order.

Beside retrievers/types.py, for every floor; imports nothing of ours.
"""

from dataclasses import dataclass

MOST = 1000
"""Beyond any weight, factor or depth that makes sense; a search looks at no more candidates."""


@dataclass(frozen=True)
class Ranking:
    """How a collection's candidates are scored once both arms have found them; what is not tuned has the shipped value.

    `lexical` is the weight of BM25 in absolute fusion, None the model's own; `near`, in units of that weight, is what words that stand
    together count. `fetch` is how many candidates each arm brings, None what the fusion asks for. The factors after fusion: `title` where
    it holds all words of the query, `heading` where it does together with the headings, `code` for code blocks when the query is
    technical, `derived` for what a model wrote, and recency, which is off without a half-life. `answer` is (slope, midpoint) of the
    logistic curve from the best absolute score to the probability of an answer.
    """

    lexical: float | None = None
    near: float = 0.5
    fetch: int | None = None
    title: float = 1.5
    heading: float = 1.15
    code: float = 1.2
    derived: float = 0.9
    half_life_days: float | None = None
    answer: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for a value that would turn an order around or divide by zero."""
        least = {"lexical": 0.0, "near": 0.0, "fetch": 1, "title": 1.0, "heading": 1.0, "code": 1.0}
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= MOST:
                raise ValueError(f"{name} is {value!r}: it must lie between {low:g} and {MOST}")
        for name, high in (("derived", 1.0), ("half_life_days", 36_500.0)):
            value = getattr(self, name)
            if value is not None and not 0 < value <= high:
                raise ValueError(f"{name} is {value!r}: it must be above 0 and at most {high:g}")
