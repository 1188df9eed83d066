"""The tables of docs/comparison.md, from the JSON files that `bench_compare.py` wrote."""

from __future__ import annotations

import json

from satc.experiments.comparison.comparison import Figure
from satc.experiments.comparison.contenders import Case
from satc.experiments.comparison.rows import difference_text, interval_text, kind_of, value_text

TARGET = "until 0.9"
SHOWN = ("start", "until 0.8", TARGET, "until 0.95", "until 90% removed", "ENER(0.1)")
PEERS = ("others", "program")
LEARNERS = {"svm": "SVM", "mpboost": "MP-Boost", "auto": "auto"}
SETS = {
    "reuters21578": "Reuters-21578",
    "ohsumed20k": "OHSUMED-20k",
    "medline": "MEDLINE",
    "medline-s": "MEDLINE-S",
    "banking77": "Banking77",
    "r52": "R52",
    "r8": "R8",
    "brighter-deu": "BRIGHTER, German",
    "brighter-hin": "BRIGHTER, Hindi",
    "brighter-chn": "BRIGHTER, Chinese",
    "brighter-rus": "BRIGHTER, Russian",
}
WITH_INTERVALS = ("until 90% removed", "ENER(0.1)")  # figures whose own interval is shown


def tables(paths, name):
    """Return the files of tables, in Markdown: a summary, and one table for each set.

    The names of the files begin with `name`.
    """
    results = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    results.sort(key=lambda result: [list(t).index(result[k]) for k, t in _ORDER.items()])
    return {
        f"{name}_summary_tables.md": _summary(results) + "\n",
        f"{name}_tables.md": "\n\n".join(map(_table, results)) + "\n",
    }


_ORDER = {"set": SETS, "learner": LEARNERS}


def _figure(row, name):
    values = {k: float("nan") if v is None else v for k, v in row[name].items()}
    return Figure(**values)


def _case(row):
    return Case(row["method"], row["labels"])


def _by_target(rows):
    return sorted(rows, key=lambda row: row[TARGET]["value"])


def _summary(results):
    lines = [
        f"Documents {TARGET} macro-F1:",
        "",
        "| set, classifier | default | best method of the paper | best peer | "
        "peers: clearly more / unclear / clearly fewer |",
        "|:--|--:|:--|:--|:-:|",
    ]
    for result in results:
        first, *rows = result["rows"]
        peers = [row for row in rows if kind_of(_case(row)) in PEERS]
        paper = [row for row in rows if kind_of(_case(row)) == "paper"]
        figures = [_figure(row, TARGET) for row in peers]
        more = sum(one.difference_low > 0 for one in figures)
        fewer = sum(one.difference_high < 0 for one in figures)
        value = value_text(TARGET, _figure(first, TARGET))
        counts = f"{more} / {len(peers) - more - fewer} / {fewer}"
        lines.append(_line([_title(result), value, _best(paper), _best(peers), counts]))
    return "\n".join(lines)


def _best(rows):
    row = _by_target(rows)[0]
    figure = _figure(row, TARGET)
    value, difference = value_text(TARGET, figure), difference_text(TARGET, figure)
    return f"{row['method']}, *{row['labels']}*:<br>{value}, {difference}"


def _name(row):
    known = kind_of(_case(row)) != "program"
    return f"`{row['method']}`" if known else row["method"]


def _is_shown(row):
    """Oracles are left out, but for one; peers are shown with the classifier's own labels."""
    kind = kind_of(_case(row))
    if kind == "oracle":
        return row["method"] == "oracle2" and row["labels"] == "sign"
    return kind in ("satc", "paper", "random") or row["labels"] == "sign"


def _title(result):
    return f"{SETS[result['set']]}, {LEARNERS[result['learner']]}"


def _table(result):
    """Return one table: the reference, then all others by the documents until .9."""
    first, *rows = result["rows"]
    seeds = "one seed" if result["seeds"] == 1 else f"{result['seeds']} seeds"
    lines = [
        f"### {_title(result)}",
        "",
        f"{result['documents']:,} documents, {seeds}, {result['resamples']:,} resamples.",
        "",
        _line(["method", "labels", *SHOWN, f"difference {TARGET}"]),
        _line([":--", ":--", *["--:"] * (len(SHOWN) + 1)]),
    ]
    for row in [first, *_by_target(filter(_is_shown, rows))]:
        values = [_cell(row, name) for name in SHOWN]
        more = "" if row is first else difference_text(TARGET, _figure(row, TARGET))
        lines.append(_line([_name(row), row["labels"], *values, more]))
    return "\n".join(lines)


def _cell(row, name):
    write = interval_text if name in WITH_INTERVALS else value_text
    return write(name, _figure(row, name))


def _line(cells):
    return f"| {' | '.join(map(str, cells))} |"
