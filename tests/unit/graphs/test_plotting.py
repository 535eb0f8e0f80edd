"""The picture of a neighbourhood: what is on it, that it can be read, and that the same graph gives the same file."""

import re
from pathlib import Path

import pytest
from neighbours import evidence, neighbour, neighbourhood

from graphs import plotting
from retrievers.errors import ConfigurationError, InvalidArgument, MissingExtra

FOUND = neighbourhood(
    neighbour("ホシゾラ観測所", "place", evidence("together", "ﾑｰﾝﾗｲﾄの配備はホシゾラ観測所で行われました。"), passages=2, weight=5.0),
    neighbour("Ines Calder", "person", evidence("leads", "Ines Calder leads it.", forward=False)),
    neighbour("QX-77", "code"),
    names=("ムーンライト", "Moonlight"),
)


@pytest.mark.rule("kg")
def test_a_neighbourhood_is_drawn_with_every_name_legible(tmp_path: Path) -> None:
    """kg: Japanese labels have a glyph each, from a font of the system or that of the extra."""
    fonts = plotting.draw(FOUND, tmp_path / "near.svg")
    assert fonts.missing == ""
    drawn = (tmp_path / "near.svg").read_text("utf-8")
    # Beside the outlines of a label its text is kept as a comment.
    labels = {comment.strip() for comment in re.findall(r"<!--(.*?)-->", drawn, re.DOTALL)}
    assert {"ホシゾラ観測所", "Ines Calder", "QX-77"} <= labels
    assert any(label.startswith("ムーンライト") for label in labels)
    assert "<text" not in drawn


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_neighbourhood_gives_the_same_file(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
    plotting.draw(FOUND, first)
    plotting.draw(FOUND, second)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 10_000


def test_labels_stay_inside_the_picture_and_apart() -> None:
    from matplotlib import rc_context

    near = [
        neighbour(f"あいうえおかきくけこさしすせそ{number}", "term", evidence("together", "長い文が続きます。" * 20))
        for number in range(20)
    ]
    found = neighbourhood(*near)
    with rc_context({"font.family": [*plotting.fonts_for("あい").families]}):
        figure = plotting._figure(found)
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    width = figure.bbox.width
    assert all(box.x0 >= 0 and box.x1 <= width for box in boxes)
    pairs = [(one, other) for at, one in enumerate(boxes) for other in boxes[:at]]
    assert not [pair for pair in pairs if pair[0].shrunk(0.9, 0.8).overlaps(pair[1].shrunk(0.9, 0.8))]


def test_formulas_and_tags_in_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    plotting.draw(neighbourhood(neighbour(r"$\frac{1}$ <script>", "name"), names=("$x", "y")), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    assert "<script" not in drawn


def test_characters_that_no_font_has_are_told_and_kept_as_text(tmp_path: Path) -> None:
    fonts = plotting.draw(
        neighbourhood(neighbour("\U0002ffff\U0001fffd x", "name"), names=("\U0001f9ff\U00016fe4 name",)), tmp_path / "a.svg"
    )
    assert fonts.missing
    assert "<text" in (tmp_path / "a.svg").read_text("utf-8")


@pytest.mark.parametrize("name", ["graph.pdf", "graph", "graph.svg.gz"])
def test_another_ending_is_refused_before_anything_is_asked(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"is neither \.svg nor \.png"):
        plotting.check_plot(Path(name))


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotting, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"a plot needs the extra 'plots': pip install 'tadori\[plots\]'"):
        plotting.check_plot(Path("graph.svg"))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="could not be written to"):
        plotting.draw(FOUND, tmp_path / "nowhere" / "a.svg")
