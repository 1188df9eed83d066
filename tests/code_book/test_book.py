"""Code books: what they refuse, and which part of one a project has."""

import json
import re
from pathlib import Path

import pytest

import satc.workbench.web
from satc.code_book import CodeBook, Entry, Hierarchy
from satc.code_book.keys import TAKEN
from satc.code_book.notation import check_separator, parents_by_notation
from satc.errors import DataError

STATIC = Path(satc.workbench.web.__file__).parent / "static"
SPORT = (
    Entry("s", "Sport"),
    Entry("b", "Ball games", "With a ball.", ("s",)),
    Entry("f", "Football", "Eleven people.", ("b",), "b"),
    Entry("t", "Tennis", parents=("b", "s")),
    Entry("p", "Politics"),
)


def test_classes_come_first_and_only_what_is_above_them_follows():
    book = CodeBook(SPORT).for_classes(["t", "f"])
    assert book.codes == ("t", "f", "s", "b")
    assert book.hierarchy.parents == ((3, 2), (3,), (), (2,))
    assert book.path(1) == ("Sport", "Ball games", "Football")


def test_headings_connect_the_classes_below_and_above_them():
    book = CodeBook(SPORT).for_classes(["f", "s", "p"])
    assert book.class_hierarchy(3) == Hierarchy([[1], [], []])


def test_the_entries_of_classes_keep_their_places_in_the_book():
    book = CodeBook(SPORT).for_classes(["t", "f"])
    assert [one.place for one in book.entries] == [3, 2, 0, 1]


def test_a_stored_book_is_read_as_it_was():
    book = CodeBook((*SPORT, Entry("m", "Music", synonyms=("songs", "concerts"), place=7)))
    assert CodeBook.from_json(json.loads(json.dumps(book.as_json()))) == book


def test_a_book_stored_by_an_earlier_version_has_no_synonyms():
    row = {"code": "a", "name": "A", "definition": "", "parents": [], "key": ""}
    assert CodeBook.from_json([row]).entries == (Entry("a", "A"),)


def test_codes_that_a_book_lacks_are_listed():
    with pytest.raises(DataError, match=r"codes of gold\.csv, but lacks 'x', 'y'; add"):
        CodeBook(SPORT).check_has(["x", "s", "y"], "gold.csv")
    assert CodeBook(SPORT).unused(["s", "b", "f"]) == ["t", "p"]


@pytest.mark.parametrize(
    ("entries", "message"),
    [([], "at least one class"),
     ([Entry("", "x")], "entry 1: 'code' must not be empty"),
     ([Entry("a", "x"), Entry("a", "y")], "entry 2: 'code' must differ .* 'a' stands in .*entry 1"),
     ([Entry("a", "x", parents=("b",))], "entry 1: 'parent' must be a code of .*but is 'b'"),
     ([Entry("a", "x", parents=("a",))], "must not form a cycle, but does: 'a' > 'a'"),
     ([Entry("a", "x", parents=("b",)), Entry("b", "y", parents=("a",))], "'a' > 'b' > 'a'"),
     ([Entry("a", "x", key="k"), Entry("b", "y", key="K")], "entry 2: 'key' must differ"),
     ([Entry("a", "x", key="ab")], "'key' must be one character, but is 'ab'"),
     ([Entry("a", "x", key="U")], r"a key that the page uses \(0-9 / \? f n s u\), but is 'U'"),
     ([Entry("a", "x", key="7")], "a key that the page uses")],
)  # fmt: skip
def test_faults_are_named_with_their_place(entries, message):
    with pytest.raises(DataError, match=message):
        CodeBook(tuple(entries))


def test_keys_that_the_page_uses_are_those_of_its_script():
    script = (STATIC / "workbench" / "keys.js").read_text(encoding="utf-8")
    script = script.partition("export const COMFORT_KEYS")[0]  # those give way to a code book
    listed = re.findall(r"keys: \[(.*?)\], shown", script)
    keys = {key for some in listed for key in re.findall(r'"([^"]*)"', some)}
    assert {"1234567890"} < keys
    single = {key for key in keys if len(key) == 1} | set("1234567890")
    assert single == TAKEN


@pytest.mark.parametrize(
    ("codes", "separator", "parents"),
    [(["sport", "sport/football"], "/", ((), ("sport",))),
     (["1:2:3", "1", "2"], ":", (("1",), (), ())),
     (["C14.280", "C14.28", "C14"], ".", (("C14",), ("C14",), ())),
     (["a/b", "a/c"], "/", ((), ()))],
)  # fmt: skip
def test_parents_follow_from_the_notation(codes, separator, parents):
    assert parents_by_notation(codes, separator) == parents


def test_a_full_stop_is_no_notation_unless_the_user_says_so():
    assert not CodeBook.of_codes(["St", "St. Louis"]).has_parents
    with pytest.raises(ValueError, match=r"hierarchy must be one of / : \. .*but is '-'"):
        check_separator("-")


def test_parents_are_not_given_twice():
    with pytest.raises(DataError, match="must not have parents if they follow from the codes"):
        CodeBook(SPORT).with_notation("/")
