"""`tadori graph` as typed: built, shown, drawn, and corrected by a person."""

from pathlib import Path

import pytest
from commanding import Run, as_json
from servers.chat import ChatServer

PAGES = {
    "calder.md": "# Ines Calder\n\nInes Calder leads Project Sandpiper and teaches diving.\n",
    "sandpiper.md": "# Project Sandpiper\n\nProject Sandpiper counts birds. Its volunteers stay at Gull Point.\n",
    "月光.md": "# 展開\n\nﾑｰﾝﾗｲﾄの配備は、ホシゾラ観測所で行われました。\n",
}

SAID = {
    "texts": [
        {
            "id": 1,
            "entities": [
                {"name": "Ines Calder", "kind": "person"},
                {"name": "Project Sandpiper", "kind": "work"},
                {"name": "Atlantis", "kind": "place"},
            ],
            "relations": [
                {
                    "head": "Ines Calder",
                    "predicate": "leads the project",
                    "tail": "Project Sandpiper",
                    "quote": "Ines Calder leads Project Sandpiper",
                }
            ],
        }
    ]
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def built(run: Run, pages: Path) -> Run:
    as_json(run("ingest", str(pages), "--json"))
    return run


def names(shown) -> set[str]:
    return {neighbour["name"] for neighbour in shown["neighbours"]}


@pytest.mark.rule("kg", "F12")
def test_a_collection_that_was_stored_without_a_graph_gets_one_and_only_once(run: Run, pages: Path) -> None:
    """kg, F12: built afterwards it holds what ingestion would have put there, and building again reads nothing."""
    as_json(run("ingest", str(pages), "--json", TADORI_GRAPH="none"))
    first = as_json(run("graph", "build", "--json"))
    assert (first["chunks"], first["failed"], first["graph"]["chunks"], first["model"]) == (3, 0, 3, None)
    assert first["graph"]["entities"] >= 5
    again = as_json(run("graph", "build", "--json"))
    assert (again["chunks"], again["graph"]) == (0, first["graph"])
    assert run("graph", "build")[1].startswith("nothing to read: rules-")


@pytest.mark.rule("kg")
def test_a_neighbourhood_is_shown_with_the_sentence_and_the_document(built: Run) -> None:
    """kg: `graph show` names what is near an entity, and where that is said."""
    code, shown, err = built("graph", "show", "project sandpiper")
    assert (code, err) == (0, "")
    assert shown.startswith("Project Sandpiper ")
    assert "Ines Calder leads Project Sandpiper and teaches diving." in shown
    assert "calder.md)" in shown


@pytest.mark.rule("kg", "cjk")
def test_a_japanese_name_is_found_under_any_width_with_a_particle_behind_it(built: Run) -> None:
    """kg, cjk: written in half width and followed by 「の配備」, it is found in full width."""
    shown = as_json(built("graph", "show", "ムーンライト", "--json"))
    assert shown["entity"]["names"] == ["ﾑｰﾝﾗｲﾄ"]
    assert any(name.startswith("ホシゾラ") for name in names(shown))


@pytest.mark.rule("kg")
def test_a_neighbourhood_is_drawn(built: Run, tmp_path: Path) -> None:
    """kg: with --plot, beside what is printed."""
    shown = as_json(built("graph", "show", "ムーンライト", "--plot", "near.svg", "--json"))
    assert shown["plot"] == {"path": "near.svg", "without_glyph": ""}
    assert "ホシゾラ" in (tmp_path / "near.svg").read_text("utf-8")
    assert built("graph", "show", "Gull Point", "--plot", "near.png")[1].endswith("drawn: near.png\n")
    assert (tmp_path / "near.png").read_bytes().startswith(b"\x89PNG")


def test_fewer_neighbours_are_shown_where_fewer_are_wanted(built: Run) -> None:
    assert len(as_json(built("graph", "show", "Project Sandpiper", "--limit", "1", "--json"))["neighbours"]) == 1


@pytest.mark.rule("kg")
def test_two_entities_are_merged_and_split_again(built: Run) -> None:
    """kg: a merge joins what is near both, and is taken back; the mentions stay as they were."""
    apart = as_json(built("graph", "show", "Ines Calder", "--json"))
    assert "Gull Point" not in names(apart)
    merged = as_json(built("graph", "merge", "Ines Calder", "Project Sandpiper", "--json"))
    assert (merged["same"], merged["changed"]) == (True, True)
    assert built("graph", "merge", "Ines Calder", "Project Sandpiper")[1] == "Ines Calder and Project Sandpiper are one entity, as before\n"
    together = as_json(built("graph", "show", "Ines Calder", "--json"))
    assert "Gull Point" in names(together)
    assert set(together["entity"]["names"]) >= {"Ines Calder", "Project Sandpiper"}
    assert built("graph", "split", "Ines Calder", "Project Sandpiper")[1] == "Ines Calder and Project Sandpiper are two entities\n"
    assert as_json(built("graph", "show", "Ines Calder", "--json")) == apart


@pytest.mark.rule("kg", "F13")
def test_a_deleted_documents_entities_are_gone(built: Run) -> None:
    """kg, F13: what only it named is unknown afterwards; what others name stays."""
    as_json(built("delete", "sandpiper.md", "--json"))
    assert built("graph", "show", "Gull Point")[0] == 2
    assert names(as_json(built("graph", "show", "Project Sandpiper", "--json"))) == {"Ines Calder"}


@pytest.mark.rule("kg")
def test_with_a_model_its_relations_are_shown_and_what_it_cost(run: Run, pages: Path) -> None:
    """kg: a predicate with its direction and its quote; the calls and tokens; what was made up is counted, and not kept."""
    as_json(run("ingest", "calder.md", "--json"))
    with ChatServer(always=SAID) as chat:
        settings = {"TADORI_CHAT_MODEL": "openai:small", "TADORI_CHAT_BASE_URL": chat.base_url}
        report = as_json(run("graph", "build", "--model", "--max-calls", "5", "--json", **settings))
    assert report["extractor"].startswith("chat-1:openai:small")
    assert report["model"]["spent"] == {"calls": 1, "input_tokens": 100, "output_tokens": 10}
    assert sum(report["model"]["dropped"].values()) >= 1
    shown = run("graph", "show", "Project Sandpiper")[1]
    assert "← leads the project" in shown
    assert "“Ines Calder leads Project Sandpiper” (Ines Calder, calder.md)" in shown


@pytest.mark.rule("kg")
def test_a_model_that_reached_its_limit_says_so_and_goes_on_the_next_time(run: Run, tmp_path: Path) -> None:
    """kg: of nine texts, four go into a call; what was read before is kept."""
    for number in range(9):
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\nThis is page {number}.\n", "utf-8")
    as_json(run("ingest", str(tmp_path), "--json"))
    nothing = {"texts": [{"id": number, "entities": [], "relations": []} for number in range(1, 5)]}
    with ChatServer(always=nothing) as chat:
        settings = {"TADORI_CHAT_MODEL": "openai:small", "TADORI_CHAT_BASE_URL": chat.base_url}
        _, first, _ = run("graph", "build", "--model", "--max-calls", "1", **settings)
        _, second, _ = run("graph", "build", "--model", **settings)
    assert first.startswith("4 chunks read by chat-1:openai:small")
    assert "\nstopped: " in first
    assert "\n1 model call, 100 tokens in, 10 out" in first
    assert second.startswith("5 chunks read by chat-1:openai:small")
    assert "stopped" not in second


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "x", "--limit", "0"), 2, "--limit 0 is not from 1 to 60"),
        (("show", "x", "--plot", "near.pdf"), 2, "'near.pdf' is neither .svg nor .png"),
        (("build", "--max-calls", "3"), 2, "--max-calls limits what a model costs, and none is asked: add --model"),
        (("build", "--model", "--max-tokens", "0"), 2, "--max-tokens 0 leaves nothing to do"),
        (("build", "--collection", "nowhere"), 1, "collection 'nowhere'"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_read(run: Run, arguments: tuple[str, ...], code: int, said: str) -> None:
    found, out, err = run("graph", *arguments)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err


def test_what_is_not_there_is_one_line_with_what_may_have_been_meant(built: Run) -> None:
    for arguments, code, said in (
        (("show", "Ines Caldar"), 2, "did you mean 'Ines Calder'?"),
        (("show", "Sandpipr"), 2, "did you mean 'Project Sandpiper'?"),
        (("show", "Quetzalcoatl"), 2, "there is no entity 'Quetzalcoatl' in the graph of collection 'default': write a name as"),
        (("show", ""), 2, "there is no entity ''"),
        (("merge", "Ines Calder", "Nobody At All"), 2, "there is no entity 'Nobody At All'"),
        (("show", "Gull Point", "--plot", "nowhere/near.svg"), 1, "could not be written to 'nowhere/near.svg'"),
        (("build", "--model"), 1, "set TADORI_CHAT_MODEL"),
    ):
        found, out, err = built("graph", *arguments)
        assert (found, out, err.count("\n")) == (code, "", 1)
        assert said in err


def test_where_ingestion_asks_the_model_building_does_too(built: Run) -> None:
    code, _, err = built("graph", "build", TADORI_GRAPH="chat")
    assert (code, "set TADORI_CHAT_MODEL" in err) == (1, True)


@pytest.mark.rule("kg", "F9")
def test_another_tenants_entities_are_as_unknown_as_none(built: Run) -> None:
    """kg, F9: neither shown nor named as what may have been meant."""
    as_json(built("ingest", "calder.md", "--tenant", "other", "--json"))
    code, out, err = built("graph", "show", "Gull Point", "--tenant", "other")
    assert (code, out) == (2, "")
    assert "Gull" not in err.replace("'Gull Point' in the graph", "")
