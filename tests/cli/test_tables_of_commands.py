"""Tables that commands print: in a narrow terminal and in a pipe, no name or figure is cut."""

from __future__ import annotations

import pytest

from satc.cli import show
from satc.ranking.methods import METHODS

SIMULATED = [
    {
        "method": name,
        "labels": "measure",
        "start": 0.779,
        **{f"until {target}": 1_234 for target in (0.8, 0.9, 0.95)},
        **{f"ENER({xi})": -0.123 for xi in (0.05, 0.1, 0.2)},
    }
    for name in METHODS
]


@pytest.fixture
def terminal(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys):
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_every_name_and_every_figure_is_whole_in_a_terminal_of_80_columns(terminal, capsys):
    show.print_rows(SIMULATED)
    lines = printed(capsys)
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    for name in METHODS:
        found = [line.split()[1:] for line in lines if line.split()[:1] == [name]]
        figures = [cell for row in found for cell in row if cell != "measure"]
        assert figures == ["0.779", *["1,234"] * 3, *["-0.123"] * 3]


def test_a_table_in_a_pipe_has_one_line_for_each_row(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    show.print_rows(SIMULATED)
    lines = printed(capsys)
    assert len(lines) == 1 + len(METHODS)
    assert [line.split()[0] for line in lines[1:]] == list(METHODS)
    assert {len(line.split()) for line in lines[1:]} == {9}


def test_the_paper_s_figure_stays_beside_ours_when_a_table_is_printed_in_blocks(terminal, capsys):
    header = ["dataset", "learner", "method", *["ξ=0.05", "paper", "Δ", "ξ=0.10", "paper", "Δ"]]
    rows = [["reuters21578", "SVMs", "U-Theoretic(s)", *["0.446", "0.442", "+0.004"] * 2]]
    show.print_table("Table 2", "A note", header, rows)
    title, first, row, _, second, again, note = printed(capsys)
    assert title.strip() == "Table 2"
    assert first.split()[3:] == ["ξ=0.05", "paper", "Δ"]
    assert second.split()[3:] == ["ξ=0.10", "paper", "Δ"]
    names = ["reuters21578", "SVMs", "U-Theoretic(s)"]
    assert row.split() == again.split() == [*names, "0.446", "0.442", "+0.004"]
    assert note == "A note"


def test_long_texts_are_folded_and_short_names_are_not(terminal, capsys):
    show.print_rows([{"name": "reuters21578/100", "count": 9_603, "what": "many words " * 20}])
    lines = printed(capsys)
    assert max(map(len, lines)) <= 80
    assert lines[1].split()[:2] == ["reuters21578/100", "9,603"]
    assert " ".join(lines).split().count("words") == 20


def test_square_brackets_in_a_cell_are_printed(capsys):
    show.print_rows([{"id": "[bold]a[/bold]", "n": 1}])
    assert "[bold]a[/bold]" in capsys.readouterr().out
