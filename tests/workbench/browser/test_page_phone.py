"""The workbench in a hand, and for those who do not see it."""

from playwright.sync_api import expect

OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


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


def test_labels_are_large_enough_for_a_thumb(reader, site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(site.enter_url)
    for selector in (".label", ".actions button:visible"):
        for control in reader.page.locator(selector).all():
            assert control.bounding_box()["height"] >= 44


def test_on_a_desk_accept_is_in_view_whatever_is_scrolled(reader, site):
    reader.page.set_viewport_size({"width": 1280, "height": 700})
    reader.enter(site.enter_url)
    reader.page.locator("#guidelines").scroll_into_view_if_needed()
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
