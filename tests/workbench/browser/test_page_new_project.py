"""Make projects by clicking only: from a CSV file with 0/1 columns, and from workbooks."""

import json

import pytest
from playwright.sync_api import expect

from satc.files import write_table

WORDS = {
    "price": "cheap expensive money cost",
    "staff": "friendly waiter helpful rude",
    "room": "bed window noisy clean",
}


def texts(n, names):
    """Return texts of documents, and the labels of each."""
    found = []
    for i in range(n):
        labels = names(i)
        words = " ".join(WORDS[name] for name in labels)
        found.append((f"{words} and so on {i}", labels))
    return found


def some(i):
    return [name for k, name in enumerate(WORDS) if (i + k) % 3 != 0]


def one(i):
    return [list(WORDS)[i % 3]]


@pytest.fixture
def multi_files(tmp_path):
    rows = ["Nr,What they said,price,staff,room"]
    for i, (text, labels) in enumerate(texts(60, some)):
        cells = ",".join(str(int(name in labels)) for name in WORDS)
        rows.append(f"L{i},{text},{cells}")
    train = tmp_path / "coded answers.csv"
    train.write_text("\n".join(rows), encoding="utf-8")
    new = ["case,verbatim,wave"]
    new += [f"N{i},{text},{i % 2}" for i, (text, _) in enumerate(texts(12, some))]
    documents = tmp_path / "new_answers.csv"
    documents.write_text("\n".join(new), encoding="utf-8")
    return documents, train


@pytest.fixture
def single_files(tmp_path):
    found = texts(60, one)
    labelled = {
        "id": [f"L{i}" for i in range(60)],
        "text": [text for text, _ in found],
        "category": [labels[0] for _, labels in found],
    }
    write_table(tmp_path / "tickets coded.xlsx", labelled)
    new = {"id": [f"N{i}" for i in range(10)], "text": [t for t, _ in texts(10, one)]}
    write_table(tmp_path / "tickets.xlsx", new)
    return tmp_path / "tickets.xlsx", tmp_path / "tickets coded.xlsx"


class NewProject:
    """A person on the page for a new project."""

    def __init__(self, reader, site):
        self.page = reader.page
        self.page.goto(site.enter_url)
        self.page.get_by_role("link", name="Projects").click()
        self.page.get_by_role("link", name="New project").click()

    def file(self, part):
        return self.page.locator(f'.file[data-part="{part}"]')

    def choose(self, part, path):
        self.page.locator(f"#file-{part}").set_input_files(path)
        return self.file(part)

    def create(self):
        self.page.get_by_role("button", name="Create the project").click()
        self.page.get_by_role("link", name="Open the project").click(timeout=120_000)


@pytest.fixture
def new(reader, small_site):
    return NewProject(reader, small_site)


def test_a_multi_label_project_is_made_from_columns_of_0_and_1(new, multi_files):
    documents, train = multi_files
    card = new.choose("documents", documents)
    expect(card).to_contain_text("satc finds 12 documents.")
    expect(card).to_contain_text("CSV, separated by commas")
    expect(card.get_by_label("Column with the id")).to_have_value("case")
    expect(card.get_by_label("Column with the text")).to_have_value("verbatim")
    card = new.choose("train", train)
    expect(card).to_contain_text("satc finds 60 documents.")
    expect(card).to_contain_text("They have 3 different labels:")
    expect(card).to_contain_text("price (40)")
    expect(card.get_by_label("Where are the labels?")).to_have_value("classes")
    expect(new.page.get_by_label("Any number, or none")).to_be_checked()
    expect(new.page.get_by_label("Title")).to_have_value("new answers")
    expect(new.page.locator("#next-steps")).to_contain_text("satc trains on 60 labelled documents")
    expect(new.page.locator("#next-steps")).to_contain_text("It labels 12 documents")
    new.create()
    expect(new.page.get_by_role("heading", name="new answers")).to_be_visible()
    expect(new.page.locator("#reading")).to_contain_text("and so on")
    assert new.page.url.endswith("/p/new%20answers")
    new.page.keyboard.press("Enter")
    expect(new.page.locator("body")).to_contain_text("1 of 12")


def test_a_single_label_project_is_made_from_workbooks_and_a_document_is_checked(new, single_files):
    documents, train = single_files
    new.choose("documents", documents)
    card = new.choose("train", train)
    expect(card.get_by_label("Column with the labels")).to_have_value("category")
    expect(card).to_contain_text("60 documents have one label.")
    expect(new.page.get_by_label("Exactly one")).to_be_checked()
    new.page.get_by_label("Title").fill("Tickets of May")
    expect(new.page.get_by_label("Name in the address")).to_have_value("Tickets of May")
    new.create()
    expect(new.page.locator("#reading")).to_contain_text("and so on")
    new.page.keyboard.press("Enter")
    expect(new.page.locator("body")).to_contain_text("1 of 10")


def test_the_button_stays_under_the_mouse_when_a_setting_adds_a_step(new, single_files):
    documents, train = single_files
    new.choose("documents", documents)
    new.choose("train", train)
    new.page.get_by_text("More settings").click()
    new.page.get_by_label("Random check").fill("20")
    expect(new.page.locator("#next-steps")).to_contain_text("20% of the work is a random check.")
    new.create()  # the first click counts, although it also leaves the field
    expect(new.page.locator("#reading")).to_contain_text("and so on")


def test_a_file_is_dropped_and_a_code_book_and_weights_are_added(new, multi_files, tmp_path):
    data = new.page.evaluate_handle(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["id,text\\n1,a cheap room\\n"], "dropped.csv"));
          return data;
        }"""
    )
    new.page.locator("#new-project").wait_for()
    expect(new.page.locator("#known-section")).to_be_hidden()
    drop = new.file("documents").locator(".drop")
    expect(drop).to_be_visible()
    new.page.wait_for_load_state("networkidle")
    drop.dispatch_event("drop", {"dataTransfer": data})
    expect(new.file("documents")).to_contain_text("satc finds 1 document.")
    new.choose("train", multi_files[1])
    book = tmp_path / "book.txt"
    book.write_text("price\nstaff\nroom\n")
    expect(new.choose("classes", book)).to_contain_text("satc finds 3 classes in the code book:")
    new.page.get_by_text("More settings").click()
    weights = tmp_path / "weights.json"
    weights.write_text('{"price": 3}')
    expect(new.choose("class_weights", weights)).to_contain_text("weights.json")
    new.create()
    expect(new.page.locator("#reading")).to_contain_text("a cheap room")


def test_labels_in_the_same_file_are_checked(new, single_files):
    _, coded = single_files
    new.choose("documents", coded)
    new.page.get_by_label("The documents have labels already").check()
    expect(new.page.locator("#same-labels")).to_contain_text("They have 3 different labels:")
    steps = new.page.locator("#next-steps")
    expect(steps).to_contain_text("the accuracy stays unknown")
    new.page.get_by_role("button", name="Set the random check to 20%").click()
    expect(steps).to_contain_text("20% of the work is a random check.")
    new.create()
    expect(new.page.locator("#reading")).to_contain_text("and so on")


@pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")
def test_columns_are_mapped_by_hand_and_the_preview_follows(new, tmp_path, multi_files):
    documents, _ = multi_files
    path = tmp_path / "strange.csv"
    rows = [f"{i};{text};{'/'.join(labels)}" for i, (text, labels) in enumerate(texts(60, some))]
    path.write_text("\n".join(["a;b;c", *rows]), encoding="utf-8")
    new.choose("documents", documents)
    card = new.choose("train", path)
    expect(card).to_contain_text("separated by semicolons")
    card.get_by_label("Where are the labels?").select_option("one")
    card.get_by_label("Column with the labels").select_option("c")
    sign = card.get_by_label("Sign between two labels in a cell")
    sign.fill("/")
    sign.press("Tab")
    expect(card).to_contain_text("They have 3 different labels:")
    expect(card).to_contain_text("60 documents have several labels.")


@pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")
def test_a_preview_that_arrives_keeps_what_is_selected_and_typed(new, tmp_path, multi_files):
    path = tmp_path / "strange.csv"
    rows = [f"{i};{text};{'/'.join(labels)}" for i, (text, labels) in enumerate(texts(60, some))]
    path.write_text("\n".join(["a;b;c", *rows]), encoding="utf-8")
    new.choose("documents", multi_files[0])
    card = new.choose("train", path)
    expect(card).to_contain_text("separated by semicolons")
    card.get_by_label("Where are the labels?").select_option("one")
    sign = card.get_by_label("Sign between two labels in a cell")
    expect(sign).to_have_value("|")
    held = []
    new.page.route("**/preview", lambda route: held.append(route))
    card.get_by_label("Column with the labels").select_option("c")
    sign.select_text()
    assert held
    new.page.unroute("**/preview")  # lets the held request go on
    expect(card).to_contain_text("They have 3 different labels:")
    expect(sign).to_be_focused()
    new.page.keyboard.type("/")
    expect(sign).to_have_value("/")
    expect(card).to_contain_text("60 documents have several labels.")
    expect(sign).to_be_focused()


def test_rows_with_errors_are_told_before_anything_is_created(new, tmp_path):
    path = tmp_path / "double.csv"
    path.write_text("id,text,label\n1,a b,x\n1,c d,y\n3,e f,x\n", encoding="utf-8")
    card = new.choose("documents", path)
    expect(card).to_contain_text("double.csv, line 3: 'id' must differ from all others")
    new.page.get_by_label("The documents have labels already").check()
    new.page.get_by_role("button", name="Create the project").click()
    expect(new.page.locator("#problem")).to_contain_text("rows that cannot be used")


def test_a_file_that_cannot_be_read_says_why_and_another_one_can_be_chosen(
    new, tmp_path, multi_files
):
    path = tmp_path / "old.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    card = new.choose("documents", path)
    expect(card).to_contain_text("an old .xls file or protected by a password")
    expect(new.page.locator("#known-section")).to_be_hidden()
    new.choose("documents", multi_files[0])
    expect(card).to_contain_text("satc finds 12 documents.")
    expect(new.page.locator("#known-section")).to_be_visible()


def test_a_failed_creation_says_why_and_can_be_repeated(new, multi_files):
    documents, train = multi_files
    new.choose("documents", documents)
    new.choose("train", train)
    new.page.get_by_text("More settings").click()
    new.page.get_by_label("Folds of the cross-validation").fill("500")
    new.page.get_by_role("button", name="Create the project").click()
    expect(new.page.locator("#problem")).to_contain_text("at least 500 documents")
    new.page.get_by_label("Folds of the cross-validation").fill("3")
    new.create()
    expect(new.page.locator("#reading")).to_contain_text("and so on")


def test_hostile_names_of_columns_and_labels_are_shown_as_text(new, tmp_path):
    evil = "<img src=x onerror=window.hacked=1>"
    path = tmp_path / "evil.jsonl"
    rows = [{"id": i, "text": evil, "labels": [evil], evil: evil} for i in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    card = new.choose("documents", path)
    expect(card.locator("th").last).to_have_text(evil)
    new.page.get_by_label("The documents have labels already").check()
    expect(new.page.locator("#same-labels")).to_contain_text(f"{evil} (3)")
    assert new.page.evaluate("window.hacked") is None


def test_the_page_fits_a_phone(new, multi_files):
    new.page.set_viewport_size({"width": 390, "height": 844})
    documents, train = multi_files
    new.choose("documents", documents)
    card = new.choose("train", train)
    expect(card).to_contain_text("They have 3 different labels:")
    new.page.get_by_text("More settings").click()
    width = new.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    outside = new.page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => one.offsetParent"
        " && !one.closest('.rows') && one.getBoundingClientRect().right"
        " > document.querySelector('main').getBoundingClientRect().right - 16)"
        ".map((one) => one.outerHTML)"
    )
    assert not outside
    small = new.page.evaluate(
        "[...document.querySelectorAll('main :is(button, select, input[type=text])')]"
        ".filter((one) => one.offsetParent && one.offsetHeight < 43.5).map((one) => one.outerHTML)"
    )
    assert not small


@pytest.mark.passwords  # the token is that of the secret link
def test_a_failed_project_in_the_list_is_dismissed(new, small_site):
    page = new.page
    key = small_site.enter_url.partition("key=")[2]
    csv = {"name": "a.csv", "mimeType": "text/csv", "buffer": b"id,text\n1,a\n"}
    answer = page.request.post(
        f"{small_site.url}/api/v1/projects",
        headers={"Authorization": f"Bearer {key}"},
        multipart={"name": "broken", "documents": csv, "train": csv},
    )
    assert answer.status == 202
    page.goto(f"{small_site.url}/projects")
    line = page.locator('[data-project="broken"]')
    expect(line).to_contain_text("The project could not be created.")
    line.get_by_role("button", name="Dismiss").click()
    expect(line).to_have_count(0)
