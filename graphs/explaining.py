"""Why a search gave what it gave, down to the place in the prompt of an answer.

Above the search that explains itself; used by graphs.api. Imports the nodes, so it is imported when an explanation is asked for.
"""

from nodes.knobs import Knobs
from nodes.prompting import CONTEXT_TOKENS, within_budget
from retrievers.passages import PassageReader, part_ids
from retrievers.reasons import Explanation


async def place_in_prompt(explanation: Explanation, reader: PassageReader, collection: str) -> None:
    """Fill in each candidate's `prompt`: which passage of a model's prompt would hold it, were the question asked.

    As `ask` does it by its default knobs: the first hits, those under a threshold left out, the others with what stands around them. A
    candidate that was no hit can be there as somebody's neighbour. The verdicts of a model that grades are not known here.
    """
    knobs = Knobs()
    kept = {candidate["id"] for candidate in explanation["candidates"] if candidate["kept"]}
    judged = explanation["passages"][: knobs.top_k]
    fit = within_budget([passage for passage in judged if passage["id"] in kept and passage["absolute"] is not None])
    dropped = {passage["id"] for passage in judged} - {passage["id"] for passage in fit}
    wide = await reader.widen(fit, each=knobs.passage_tokens, total=CONTEXT_TOKENS, without=dropped, collection=collection)
    places = {part: number for number, passage in enumerate(wide, 1) for part in part_ids(passage)}
    for candidate in explanation["candidates"]:
        candidate["prompt"] = places.get(candidate["id"])
