"""Several people, and predictions that are hidden."""

import pytest
import sites
from playwright.sync_api import expect


def test_two_people_never_hold_the_same_document(new_reader, team_site):
    ann, ben = new_reader(), new_reader()
    ann.log_in(team_site.url, "ann")
    ben.log_in(team_site.url, "ben")
    seen = [ann.document, ben.document]
    for _ in range(3):
        seen += [ann.accept(), ben.accept()]
    assert len(set(seen)) == 8
    ann.page.reload()
    ann.wait_for_validated(6)


def test_the_decisions_in_the_list_are_ones_own(new_reader, team_site):
    ann, ben = new_reader(), new_reader()
    ann.log_in(team_site.url, "ann")
    ben.log_in(team_site.url, "ben")
    ann.accept()
    expect(ann.page.locator(".decision")).to_have_count(1)
    ben.wait_for_validated(0)
    expect(ben.page.locator(".decision")).to_have_count(0)


def test_a_manager_sees_the_decisions_of_everybody_and_can_switch_to_their_own(
    new_reader, team_site
):
    ann, meg = new_reader(), new_reader()
    ann.log_in(team_site.url, "ann")
    ann.accept()
    ann.wait_for_validated(1)
    meg.log_in(team_site.url, "meg")
    decisions = meg.page.locator(".decision")
    expect(decisions).to_have_count(1)
    expect(decisions.locator(".about")).to_contain_text("ann")
    expect(meg.page.locator("#decisions-heading")).to_have_text("Last decisions of everybody")
    meg.page.get_by_label("Only mine").check()
    expect(decisions).to_have_count(0)
    expect(meg.page.locator("#decisions-heading")).to_have_text("Your last decisions")
    meg.page.get_by_label("Only mine").uncheck()
    decisions.first.click()
    expect(meg.page.locator("#editing-banner")).to_be_visible()
    expect(ann.page.locator("#only-mine")).to_have_count(0)


def test_blind_documents_show_neither_predictions_nor_reasons(reader, blind_site):
    reader.enter(blind_site.enter_url)
    expect(reader.page.locator("#blind-banner")).to_be_visible()
    assert reader.offered == [f"class {j + 1}" for j in range(15)]
    assert reader.chosen == []
    assert reader.page.locator('[data-mark]:not([data-mark=""])').count() == 0
    assert "".join(reader.page.locator(".label .probability").all_inner_texts()) == ""
    assert reader.page.locator("#document-text mark").count() == 0
    expect(reader.page.locator("#why")).not_to_be_visible()


def test_a_blind_document_takes_labels_by_search(reader, blind_site):
    reader.enter(blind_site.enter_url)
    reader.press("/", "ArrowDown", "ArrowDown", "Enter", "Escape")
    assert len(reader.chosen) == 1
    chosen = reader.chosen
    reader.accept()
    expect(reader.page.locator(".decision .given").first).to_have_text(chosen[0])


def test_a_wrong_password_is_answered_with_a_sentence(reader, team_site):
    reader.page.goto(f"{team_site.url}/p/plain")
    reader.page.get_by_label("Name").fill("ann")
    reader.page.get_by_label("Password").fill("wrong")
    reader.press("Enter")
    expect(reader.page.get_by_role("alert")).to_contain_text("password is wrong")


@pytest.mark.passwords
def test_who_logs_out_is_out(reader, team_site):
    reader.log_in(team_site.url, "ben")
    reader.page.get_by_role("button", name="Log out").click()
    expect(reader.page.get_by_label("Password")).to_be_visible()
    reader.page.goto(team_site.url)
    expect(reader.page.get_by_label("Password")).to_be_visible()


def test_a_second_reading_has_no_number_among_the_documents(new_reader, tmp_path):
    path = sites.disputed(tmp_path / "disputed.satc", ben="annotator", cai="annotator")
    with sites.serving(path, tmp_path) as site:
        cai = new_reader().log_in(site.url, "cai")
        heading = cai.page.locator("#document-heading")
        expect(heading).to_have_text("Document 5 of 12")
        cai.accept()
        expect(heading).to_have_text("Document 6 of 12")
        ben = new_reader().log_in(site.url, "ben")
        expect(ben.page.locator("#document-heading")).to_have_text("Second reading")
        cai.accept()
        expect(heading).to_have_text("Document 7 of 12")
