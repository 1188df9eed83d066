"""The labels that satc chose are ticked."""

from contextlib import closing

import numpy as np
from playwright.sync_api import expect

from satc.workbench.store import open_store
from satc.workbench.store.documents import positions_of
from satc.workbench.store.predictions import read_decided, read_scores
from satc.workbench.store.projects import get_project


def test_the_chosen_labels_are_ticked_and_never_offered_as_missing(reader, chosen_site, project):
    with closing(open_store(project("chosen"))) as store:
        made = get_project(store)
        decided, scores = read_decided(store, made), read_scores(store, made)
        positions = positions_of(store, made.key)
    reader.enter(chosen_site.enter_url)
    unlike_the_sign = 0
    for _ in range(15):
        i = positions[reader.document]
        names = {made.classes[j] for j in np.flatnonzero(decided[i])}
        assert set(reader.chosen) == names
        missing = reader.page.locator("[data-mark=missing] .name").all_inner_texts()
        assert not names & set(missing)
        unlike_the_sign += (decided[i] != (scores[i] >= 0)).any()
        reader.accept()
    assert unlike_the_sign
    reader.wait_for_validated(15)
    expect(reader.page.locator("#progress-facts")).to_contain_text("0 corrected")


def test_the_page_says_that_labels_were_chosen(reader, chosen_site):
    reader.enter(chosen_site.enter_url)
    expect(reader.page.locator("#labels-decided")).to_contain_text("Labels chosen for macro-F1.")


def test_the_page_says_that_signs_decided(reader, site):
    reader.enter(site.enter_url)
    expect(reader.page.locator("#labels-decided")).to_have_text("Labels by the sign of the score.")
