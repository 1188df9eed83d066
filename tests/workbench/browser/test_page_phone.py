"""The workbench in a hand, and for those who do not see it."""

from playwright.sync_api import expect

OVERFLOW = """Math.max(document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll("#scroller, #reading, #side, #progress")]
    .map((node) => node.scrollWidth - node.clientWidth))"""


def test_nothing_scrolls_sideways_on_a_phone(reader, hostile_site):
    reader.page.set_viewport_size({"width": 390, "height": 800})
    reader.enter(hostile_site.enter_url)
    reader.accept()
    expect(reader.page.locator(".decision")).to_be_visible()
    for details in reader.page.locator("#side summary").all():
        details.click()
    for width in (320, 360, 390):
        reader.page.set_viewport_size({"width": width, "height": 800})
        assert reader.page.evaluate(OVERFLOW) <= 0


def test_the_document_comes_first_and_accept_stays_in_view(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    top = {name: reader.page.locator(name).bounding_box()["y"] for name in ("#reading", "#labels")}
    assert top["#reading"] < top["#labels"]
    for place in ("#document-heading", "#decisions"):
        reader.page.locator(place).scroll_into_view_if_needed()
        expect(reader.page.locator("[data-command=accept]")).to_be_in_viewport()


def test_the_page_is_as_high_as_the_window(reader, site):
    for width, height in ((390, 844), (1440, 500)):
        reader.page.set_viewport_size({"width": width, "height": height})
        reader.enter(site.enter_url)
        assert reader.page.evaluate("document.scrollingElement.scrollHeight") == height


def test_the_line_at_the_top_takes_two_lines_on_a_phone(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    texts = {
        "progress": "123 of 1,500 checked",
        "accuracy": "accuracy about 71% (62–79)",
        "left": "about 187 more to 95%",
    }
    for part, text in texts.items():
        fill = f"node => {{ node.textContent = {text!r}; node.hidden = false; }}"
        reader.page.locator(f"#{part}-short").evaluate(fill)
    tops = {reader.page.locator(f"#{part}-short").bounding_box()["y"] for part in texts}
    assert len(tops) == 2
    assert reader.page.locator("#status summary").bounding_box()["height"] < 60


def test_the_links_to_the_pages_are_in_view_beside_a_long_title(reader, site):
    for width in (390, 1024):
        reader.page.set_viewport_size({"width": width, "height": 768})
        reader.enter(site.enter_url)
        reader.page.locator(".top h1").evaluate(
            "node => { node.textContent = 'A title '.repeat(20); }"
        )
        for link in reader.page.locator(".pages a").all():
            expect(link).to_be_in_viewport(ratio=0.9)


def test_labels_are_large_enough_for_a_thumb(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    for selector in (".label", ".actions button:visible"):
        for control in reader.page.locator(selector).all():
            assert control.bounding_box()["height"] >= 44


def test_the_sheet_with_chips_and_buttons_covers_no_text(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    sheet = reader.page.locator(".actions").bounding_box()
    area = reader.page.locator("#scroller").bounding_box()
    assert area["y"] + area["height"] <= sheet["y"] + 1
    assert sheet["y"] + sheet["height"] <= 844
    assert sheet["height"] < 844 / 4


def test_chips_of_probable_labels_choose_on_a_phone(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    offered = reader.page.locator("#offered .chip")
    expect(offered.first).to_be_visible()
    name = offered.first.locator(".name").inner_text()
    assert name not in reader.chosen
    offered.first.click()
    assert name in reader.chosen
    assert name in reader.page.locator("#chosen .name").all_inner_texts()
    before = reader.document
    with reader.saving():
        reader.page.get_by_role("button", name="Accept and next").click()
    reader.wait_for_another(before)


def test_the_chips_of_the_next_document_begin_with_the_chosen_ones(reader, site):
    reader.page.set_viewport_size({"width": 320, "height": 844})
    reader.enter(site.enter_url)
    row = reader.page.locator("#chip-row")
    row.evaluate("row => { row.lastElementChild.style.minWidth = '900px'; row.scrollLeft = 300; }")
    expect(row).to_have_js_property("scrollLeft", 300)
    reader.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    reader.accept()
    expect(row).to_have_js_property("scrollLeft", 0)


def test_nobody_accepts_on_a_phone_before_a_label_was_in_sight(reader, blind_site):
    reader.page.set_viewport_size({"width": 390, "height": 500})
    reader.enter(blind_site.enter_url)
    document = reader.document
    accept = reader.page.locator("[data-command=accept]")
    expect(reader.page.locator("#labels-list")).not_to_be_in_viewport()
    accept.click()
    expect(reader.page.locator("#labels-heading")).to_be_in_viewport()
    assert reader.document == document
    expect(reader.page.locator(".label").first).to_be_in_viewport()
    with reader.saving():
        accept.click()
    reader.wait_for_another(document)


def test_the_labels_are_one_tap_away_on_a_phone(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 500})
    reader.enter(site.enter_url)
    reader.page.locator(".actions").get_by_role("button", name="All classes").click()
    expect(reader.page.locator("#labels-heading")).to_be_in_viewport()


def test_on_a_desk_accept_is_in_view_whatever_is_scrolled(reader, site):
    reader.page.set_viewport_size({"width": 1280, "height": 700})
    reader.enter(site.enter_url)
    reader.page.locator("#decisions").scroll_into_view_if_needed()
    expect(reader.page.locator("[data-command=accept]")).to_be_in_viewport()


def test_every_control_has_a_name(reader, site):
    reader.enter(site.enter_url)
    reader.accept()
    unnamed = reader.page.evaluate(
        """[...document.querySelectorAll("button, input, textarea, a, summary, progress")]
          .filter((node) => !(node.ariaLabel || node.textContent.trim() || node.labels?.length
            || node.getAttribute("aria-labelledby") || node.type === "hidden"))
          .map((node) => node.outerHTML)"""
    )
    assert unnamed == []


def test_texts_stand_out_from_their_background(reader, worded_site):
    reader.enter(worded_site.enter_url)
    reader.press("f")
    reader.accept()
    expect(reader.page.locator("#legend")).to_be_visible()
    for scheme in ("light", "dark"):
        reader.page.emulate_media(color_scheme=scheme)
        assert reader.page.evaluate(FAINT) == []


# Texts whose contrast is below 4.5:1 (WCAG AA), by the colours that the browser computed.
FAINT = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    const { backgroundColor } = getComputedStyle(node);
    const [, , , alpha = 1] = parts(backgroundColor);
    return alpha > 0 || !node.parentElement ? backgroundColor : behind(node.parentElement);
  };
  const contrast = (node) => {
    const pair = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  const shown = [...document.querySelectorAll("body *:not(svg *)")].filter((node) =>
    node.checkVisibility() && !node.disabled
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
  return shown.filter((node) => contrast(node) < 4.5)
    .map((node) => `${node.className || node.tagName}: ${contrast(node).toFixed(2)}`);
}"""


def test_the_page_fills_the_window_and_only_its_parts_scroll(reader, site):
    reader.enter(site.enter_url)
    for width, height in ((390, 844), (1280, 500)):
        reader.page.set_viewport_size({"width": width, "height": height})
        root = "document.documentElement"
        assert reader.page.evaluate(f"{root}.scrollHeight - {root}.clientHeight") <= 0
