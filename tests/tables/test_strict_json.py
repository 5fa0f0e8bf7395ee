"""JSON that programs read differently: keys twice in an object, and an unpaired surrogate."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import read_chunks, read_history
from podium.errors import InputError
from podium.tables.sources import strict_json
from podium.tables.sources.strict_json import AmbiguousJSONError, has_ambiguous_lines

GOOD = '{"winner": "ann", "loser": "bob"}\n'
AMBIGUOUS = [
    (r'{"winner": "x\ud800", "loser": "bob"}', r"an unpaired surrogate, \ud800"),
    (r'{"winner": "x\uDC01y", "loser": "bob"}', r"an unpaired surrogate, \uDC01"),
    (r'{"winner": "\ud83c\\ud83c", "loser": "bob"}', r"an unpaired surrogate, \ud83c"),
    (r'{"winner": "ann", "loser": "bob", "winner": "cat"}', "a duplicate key 'winner'"),
    (r'{"winner": "ann", "loser": "bob", "w\u0069nner": "cat"}', "a duplicate key 'winner'"),
    (r'{"winner": "ann", "loser": "bob", "more": {"a": 1, "a": 1}}', "a duplicate key 'a'"),
]
PLAIN = [
    r'{"winner": "\ud83c\udfc6", "loser": "bob"}',  # the two halves of one character
    r'{"winner": "\\ud800", "loser": "bob"}',  # a backslash and five letters
    r'{"winner": "a\"winner\":", "loser": "bob"}',
    r'{"winner": "ann", "loser": "bob", "one": {"a": 1}, "two": {"a": 1}}',
    r'{"winner": "{", "loser": "}"}',
]


@pytest.mark.parametrize(("line", "fault"), AMBIGUOUS)
@pytest.mark.parametrize("name", ["x.ndjson", "x.jsonl.gz"])
def test_ambiguous_lines_are_refused(line: str, fault: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = (GOOD + "\n" + GOOD + line + "\n" + GOOD).encode()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(InputError) as caught:
        read_history(path)
    assert (caught.value.source, caught.value.line) == (str(path), 4)
    assert caught.value.reason == f"the line holds {fault}"
    with pytest.raises(InputError, match="line 4: the line holds"):
        list(read_chunks(path, rows=2))
    kept = read_history(path, on_bad_row="skip")
    assert len(kept) == 3
    assert [item.where for item in kept.skipped] == [f"{path}, line 4"]


@pytest.mark.parametrize("line", PLAIN)
def test_lines_that_only_look_ambiguous(line: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson"
    path.write_text(GOOD + line + "\n" + line)
    expected = json.loads(line)
    history = read_history(path)
    assert [event.sides for event in history][1:] == [((expected["winner"],), (expected["loser"],))] * 2


@pytest.mark.parametrize(
    ("content", "line", "fault"),
    [
        (
            '{"name": "May", "time_seconds": 1,\n"standings": [["x\\ud800", 0, 0],\n["x\\ud801", 1, 1]]}',
            2,
            "an unpaired surrogate",
        ),
        (
            '{"name": "May",\n"time_seconds": 1,\n"standings": [["a", 0, 0], ["b", 1, 1]],\n"name": "June"}',
            4,
            "a duplicate key 'name'",
        ),
        (
            '{"status": "OK",\n"result": {"contest": {}, "rows": [],\n"rows": []}}',
            3,
            "a duplicate key 'rows'",
        ),
    ],
)
def test_ambiguous_documents_are_refused(content: str, line: int, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_history(path)
    assert (caught.value.source, caught.value.line) == (str(path), line)
    assert caught.value.reason.startswith(f"the JSON holds {fault}")


texts = st.text(st.sampled_from('ab"\\:{},ud8c0é \n'), max_size=6)
objects = st.dictionaries(
    texts, st.none() | st.booleans() | st.integers() | texts | st.lists(texts), max_size=3
)


@given(
    lines=st.lists(
        st.tuples(objects, st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n", " \n"])), max_size=8
    ),
    spoiled=st.none() | st.integers(0, 7),
    block=st.integers(1, 40),
)
def test_whole_files_at_once_as_line_by_line(
    lines: list[tuple[dict[str, object], bool, str]], spoiled: int | None, block: int
) -> None:
    """The short cut over lines of the same keys finds what reading each line finds."""
    written = [(json.dumps(record, ensure_ascii=ascii), end) for record, ascii, end in lines]
    if spoiled is not None and spoiled < len(written):
        text, end = written[spoiled]
        written[spoiled] = (f'{{"k": 1, "k": {text}}}', end)
    content = "".join(text + end for text, end in written).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_json, "_BLOCK", block)
        assert has_ambiguous_lines(io.BytesIO(content)) == any(_is_ambiguous(text) for text, _ in written)


def _is_ambiguous(text: str) -> bool:
    try:
        strict_json.strict_json(text)
    except AmbiguousJSONError:
        return True
    return False
