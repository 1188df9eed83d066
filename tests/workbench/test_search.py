"""Full-text search: both databases find the same documents, in any script."""

import sqlite3

import pytest
from earlier_project import unpack
from hypothesis import given
from hypothesis import strategies as st
from projects_made import make, make_project

from satc.files import Documents
from satc.workbench.store import open_store
from satc.workbench.store.documents import add_documents
from satc.workbench.store.projects import get_project
from satc.workbench.store.search.excerpts import LENGTH, excerpt
from satc.workbench.store.search.finding import find_documents
from satc.workbench.store.search.query import parse_query
from satc.workbench.store.search.terms import folded, terms_of

TEXTS = [
    "The patient had a heart attack after the operation.",
    "An attack of asthma; the heart was sound. Case-12b costs 3.50.",
    "心肌梗死患者的治疗",
    "日本語のテキストです。USB线坏了",
    "โรคหัวใจขาดเลือด",
    "हिन्दी में लिखा हुआ पाठ",
    "Der Straßenverkehr in CAFÉ und École",
    "שָׁלוֹם עולם and مَرْحَبًا",
    "A heart ❤ and 'quotes' \\ NEAR(a b) OR col:x * ^ -- ;",
    "",
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory, request):
    """Open the same documents in both databases."""
    path = tmp_path_factory.mktemp("search") / "made.satc"
    places = [path, request.getfixturevalue("cluster").new_database()]
    opened = []
    for place in places:
        make_project(make(n=len(TEXTS), texts=TEXTS), place)
        opened.append(open_store(place))
    yield opened
    for store in opened:
        store.close()


def found(store, text, name=None):
    project = get_project(store, name)
    return sorted(find_documents(store, project.key, parse_query(text)).tolist())


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("heart", [0, 1, 8]),
        ("HEART attack", [0, 1]),
        ("attack heart", [0, 1]),
        ('"heart attack"', [0]),
        ('"heart attack', [0]),
        ("oper", [0]),
        ("oper patient", []),
        ("patient oper", [0]),
        ("心", [2]),
        ("肌", [2]),
        ("疗", [2]),
        ("心肌", [2]),
        ("梗死患者", [2]),
        ("肌心", []),
        ("死的", []),
        ("語", [3]),
        ("テキスト", [3]),
        ("usb线", [3]),
        ("线 usb", [3]),
        ("หัวใจ", [4]),
        ("ใ", [4]),
        ("हिन्दी", [5]),
        ("हिन", [5]),
        ("लिखा पाठ", [5]),
        ("strassen", [6]),
        ("cafe ecole", [6]),
        ("CAFE\u0301", [6]),
        ("שלום", [7]),
        ("مرحبا", [7]),
        ("❤", [8]),
        ("12b", [1]),
        ("case-12b", [1]),
        ("3.50", [1]),
        ("d3", [3]),
        ("D", list(range(10))),
        ("NEAR", [8]),
        ("nothing", []),
        ("", []),
        (' "" \' * ( ) : ^ & | ! <-> \\ --', []),
    ],
)
def test_both_databases_find_the_same(stores, text, documents):
    assert [found(store, text) for store in stores] == [documents, documents]


@given(st.text(max_size=40))
def test_no_query_is_an_error_or_differs(stores, text):
    file, server = (found(store, text) for store in stores)
    assert file == server


@given(st.text(min_size=1, max_size=60))
def test_a_text_finds_itself(text):
    terms = terms_of(text)
    for phrase in parse_query(text.replace('"', " ")).phrases:
        assert any(term.startswith(phrase.terms[-1]) for term in terms)


def test_a_document_that_is_added_later_is_found(location):
    make_project(make(n=3), location)
    store = open_store(location)
    key = get_project(store).key
    with store.writing() as connection:
        add_documents(connection, key, 3, Documents(("new",), ("Ein Nachtrag",), None, {}))
    assert found(store, "nachtrag") == [3]
    store.close()


def test_projects_of_one_store_are_searched_apart(postgresql):
    make_project(make(n=2, texts=["gold", "oil"]), postgresql, name="first")
    make_project(make(n=2, texts=["oil", "gold"]), postgresql, name="second")
    store = open_store(postgresql)
    assert [found(store, "gold", name) for name in ("first", "second")] == [[0], [1]]
    store.close()


def test_a_text_of_any_length_can_be_stored(location):
    long = " ".join(chr(0x4E00 + i % 20_000) + chr(0x4E00 + i * 7 % 20_000) for i in range(150_000))
    make_project(make(n=2, texts=[f"begin {long}", "x" * 300_000]), location)
    store = open_store(location)
    assert found(store, "begin") == [0]
    assert found(store, "x" * 100) == [1]
    store.close()


def test_an_earlier_project_is_indexed_when_it_is_opened(tmp_path):
    path = unpack(tmp_path)
    connection = sqlite3.connect(path)
    position, text = connection.execute("SELECT position, text FROM documents").fetchone()
    connection.close()
    store = open_store(path)
    assert position in found(store, f'"{text}"')
    store.close()


def test_the_index_holds_no_second_copy_of_the_texts(tmp_path):
    make_project(make(n=2, texts=["one " * 400, "two"]), tmp_path / "made.satc")
    connection = sqlite3.connect(tmp_path / "made.satc")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "document_search_data" in tables
    assert "document_search_content" not in tables
    connection.close()


def matches(text, query):
    return [piece.text for piece in excerpt(text, parse_query(query)) if piece.is_match]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Gold and golden", "gol", ["Gold", "golden"]),
        ("Gold and golden", "gold and", ["Gold", "and"]),
        ("Im Café", "cafe", ["Café"]),
        ("Im Cafe\u0301 da", "café", ["Cafe\u0301"]),
        ("心肌梗死与心肌炎", "心肌", ["心肌", "心肌"]),
        ("<b>bold</b>", "<b>", ["b", "bold", "b"]),  # a prefix
        ("nothing here", "", []),
    ],
)
def test_matches_are_marked(text, query, marked):
    assert matches(text, query) == marked


def test_the_pieces_of_an_excerpt_are_the_text():
    text = "Some words\nin  lines, then a match."
    pieces = excerpt(text, parse_query("match"))
    assert "".join(piece.text for piece in pieces) == "Some words in lines, then a match."


def test_an_excerpt_begins_shortly_before_a_late_match():
    text = "word " * 500 + "needle " + "word " * 500
    pieces = excerpt(text, parse_query("needle"))
    whole = "".join(piece.text for piece in pieces)
    assert whole.startswith("…word")
    assert whole.endswith("…")
    assert "needle" in whole
    assert len(whole) <= LENGTH + 2


def test_folding_twice_changes_nothing():
    for text in TEXTS:
        assert folded(folded(text)) == folded(text)
