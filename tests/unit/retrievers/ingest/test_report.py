"""Progress: what is done never falls, and at the end all of it is."""

from retrievers.ingest.report import Tracker


def test_progress_counts_chunks_and_documents_not_read_yet() -> None:
    calls: list[tuple[int, int]] = []
    tracker = Tracker(lambda done, total: calls.append((done, total)), documents=3)
    tracker.finished()
    tracker.cut(10)
    tracker.advance(4)
    tracker.cut(2)
    tracker.advance(8)
    assert calls == [(1, 3), (1, 12), (5, 12), (5, 13), (13, 13)]
