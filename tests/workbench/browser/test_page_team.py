"""Several people, and predictions that are hidden."""

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


def test_blind_documents_show_neither_predictions_nor_reasons(reader, blind_site):
    reader.enter(blind_site.enter_url)
    expect(reader.page.locator("#blind-banner")).to_be_visible()
    assert reader.offered == []
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


def test_who_logs_out_is_out(reader, team_site):
    reader.log_in(team_site.url, "ben")
    reader.page.get_by_role("button", name="Log out").click()
    expect(reader.page.get_by_label("Password")).to_be_visible()
    reader.page.goto(team_site.url)
    expect(reader.page.get_by_label("Password")).to_be_visible()
