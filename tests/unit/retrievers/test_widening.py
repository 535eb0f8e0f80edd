"""Small to big: what a found chunk grows by, and that no text comes twice."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turns import passage

from retrievers.documents import ChunkDraft
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.load_markdown import load_markdown
from retrievers.passages import part_at, part_ids
from retrievers.providers.fakes import HashEmbedder
from retrievers.text.clean import Cleaner
from retrievers.widening import REACH, Neighbour, Surroundings, widened

MANUAL = """# Manual

## Cover

Take off the cover.

### Bolts

Loosen the four bolts.

### Seal

Lift the seal.

## Motor

Oil the motor.
"""


def words(text: str) -> int:
    return HashEmbedder().count_tokens(text)


class Stored:
    """A document cut into chunks, as the store would hand out what stands around each."""

    def __init__(self, text: str, *, max_tokens: int = 512, content: int = 1) -> None:
        document = load_markdown(text.encode(), "manual", Cleaner())
        self.text, self.content = document.text, content
        self.chunks = Chunker(words, max_tokens).cut(document)

    def hit(self, ordinal: int):
        chunk = self.chunks[ordinal]
        return passage(
            self._id(ordinal),
            chunk.text,
            heading_path=[*chunk.heading_path],
            start=chunk.start,
            end=chunk.end,
            token_count=chunk.token_count,
        )

    def around(self, ordinal: int) -> Surroundings:
        near = self.chunks[max(0, ordinal - REACH) : ordinal + REACH + 1]
        start, end = min(chunk.start for chunk in near), max(chunk.end for chunk in near)
        return Surroundings(self.content, start, self.text[start:end], tuple(self._neighbour(chunk) for chunk in near))

    def widened(self, *ordinals: int, each: int = 1000, total: int = 6000, without: set[int] = frozenset()):
        return widened(
            [self.hit(ordinal) for ordinal in ordinals],
            {self._id(ordinal): self.around(ordinal) for ordinal in ordinals},
            each=each,
            total=total,
            without={self._id(ordinal) for ordinal in without},
            count=words,
        )

    def _id(self, ordinal: int) -> str:
        return f"{self.content}-{ordinal}"

    def _neighbour(self, chunk: ChunkDraft) -> Neighbour:
        return Neighbour(self._id(chunk.ordinal), chunk.ordinal, chunk.start, chunk.end, chunk.token_count, chunk.heading_path, chunk.page)


def test_a_chunk_grows_to_the_section_around_its_own_and_no_further():
    (wide,) = Stored(MANUAL).widened(1)
    assert wide["text"] == "Take off the cover.\n\n### Bolts\n\nLoosen the four bolts.\n\n### Seal\n\nLift the seal."
    assert (part_ids(wide), wide["heading_path"]) == (["1-0", "1-1", "1-2"], ["Cover"])


def test_a_chunk_of_a_main_section_grows_into_the_document():
    (wide,) = Stored(MANUAL).widened(3)
    assert part_ids(wide) == ["1-0", "1-1", "1-2", "1-3"]


def test_its_own_section_comes_first_and_of_two_neighbours_the_later():
    stored = Stored(MANUAL)
    (wide,) = stored.widened(1, each=stored.chunks[1].token_count + 3)
    assert wide["text"] == "Loosen the four bolts.\n\n### Seal\n\nLift the seal."


@pytest.mark.parametrize(("each", "parts"), [(0, 1), (4, 1), (7, 2), (11, 3)])
def test_it_grows_by_whole_chunks_within_its_budget(each, parts):
    (wide,) = Stored(MANUAL).widened(1, each=each)
    assert len(part_ids(wide)) == parts


@pytest.mark.rule("core-context")
def test_all_together_stay_within_the_prompts_budget_and_the_best_grows_first():
    """core-context: no passage is pushed out of a prompt by what was put around a better one."""
    one, other = Stored(MANUAL), Stored(MANUAL.replace("the", "a"), content=2)
    hits = [one.hit(1), other.hit(1)]
    around = {"1-1": one.around(1), "2-1": other.around(1)}
    wide = widened(hits, around, each=100, total=8 + 3, without=frozenset(), count=words)
    assert [part_ids(passage) for passage in wide] == [["1-1", "1-2"], ["2-1"]]


@pytest.mark.rule("self-rag", "T1")
def test_a_rejected_chunk_is_neither_taken_in_nor_stepped_over():
    """self-rag, T1: what the grade dropped does not come back as somebody's neighbour."""
    (wide,) = Stored(MANUAL).widened(1, without={2})
    assert part_ids(wide) == ["1-0", "1-1"]


def test_found_chunks_that_touch_become_one_at_the_place_of_the_best():
    stored = Stored(MANUAL)
    other = Stored("# Other\n\nElsewhere.\n", content=2)
    hits = [stored.hit(2), other.hit(0), stored.hit(1)]
    around = {"1-2": stored.around(2), "2-0": other.around(0), "1-1": stored.around(1)}
    wide = widened(hits, around, each=0, total=0, without=frozenset(), count=words)
    assert [part_ids(passage) for passage in wide] == [["1-1", "1-2"], ["2-0"]]
    assert (wide[0]["id"], wide[0]["text"]) == ("1-2", "Loosen the four bolts.\n\n### Seal\n\nLift the seal.")


def test_a_passage_without_surroundings_is_handed_back_in_its_place():
    stored, page = Stored(MANUAL), passage("web", "A page of the web.", origin="web")
    wide = widened([page, stored.hit(3)], {"1-3": stored.around(3)}, each=0, total=0, without=frozenset(), count=words)
    assert [part_ids(one) for one in wide] == [["web"], ["1-3"]]


def test_a_copy_in_another_document_does_not_come_twice():
    one, copy = Stored(MANUAL), Stored(MANUAL + "\nAnd nothing else.\n", content=2)
    hits = [one.hit(3), copy.hit(1)]
    around = {"1-3": one.around(3), "2-1": copy.around(1)}
    wide = widened(hits, around, each=0, total=0, without=frozenset(), count=words)
    assert [passage["text"] for passage in wide] == ["Oil the motor.", "Loosen the four bolts."]
    again = widened([one.hit(1), copy.hit(1)], {"1-1": one.around(1), "2-1": copy.around(1)}, each=0, total=0, without=(), count=words)
    assert [passage["id"] for passage in again] == ["1-1"]


def test_a_place_in_a_wide_passage_belongs_to_its_chunk():
    (wide,) = Stored(MANUAL).widened(1)
    assert part_at(wide, wide["text"].index("Lift"))["heading_path"] == ["Cover", "Seal"]
    assert part_at(wide, 0)["id"] == "1-0"
    assert part_at(passage("p"), 5)["id"] == "p"


def test_a_gap_that_was_not_read_is_an_error_and_not_a_shorter_text():
    stored = Stored(MANUAL)
    holed = replace(stored.around(1), text="Take")
    with pytest.raises(ValueError, match="was not read"):
        widened([stored.hit(1)], {"1-1": holed}, each=100, total=100, without=(), count=words)


@pytest.mark.rule("emb-chunking")
@settings(deadline=None, max_examples=150)
@given(
    sections=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    picks=st.lists(st.integers(0, 10_000), min_size=1, max_size=8),
    each=st.sampled_from([0, 40, 80, 200, 1000]),
    japanese=st.booleans(),
)
def test_no_sentence_comes_twice(sections, picks, each, japanese):
    """emb-chunking: chunks share 10-20 %, and whichever are found, a prompt holds each sentence once and only stored text."""
    numbers = iter(range(1000))
    sentence = "部品{}のボルトは対角線の順に締め付けてください。" if japanese else "Tighten bolt number {} of the cover crosswise now. "
    texts = [[sentence.format(next(numbers)) for _ in range(count)] for count in sections]
    stored = Stored("# Manual\n" + "".join(f"\n## Part {n}\n\n{''.join(text)}\n" for n, text in enumerate(texts)), max_tokens=70)
    found = list(dict.fromkeys(pick % len(stored.chunks) for pick in picks))
    wide = stored.widened(*found, each=each)
    prompt = "\n".join(passage["text"] for passage in wide)
    assert [said for text in texts for said in text if prompt.count(said.strip()) > 1] == []
    assert all(passage["text"] == stored.text[passage["start"] : passage["end"]] for passage in wide)
    assert {stored._id(ordinal) for ordinal in found} <= {one for passage in wide for one in part_ids(passage)}
