"""Small collections in the original formats; their texts are made up."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile


def tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def story(number, split, topics=(), text="<TITLE>T</TITLE><BODY>B</BODY>", kind="", used="YES"):
    labels = "".join(f"<D>{topic}</D>" for topic in topics)
    attribute = f' TYPE="{kind}"' if kind else ""
    return (
        f'<REUTERS TOPICS="{used}" LEWISSPLIT="{split}" NEWID="{number}">\n'
        f"<TOPICS>{labels}</TOPICS>\n<PLACES><D>atlantis</D></PLACES>\n"
        f"<TEXT{attribute}>&#2;\n{text}\n&#3;</TEXT>\n</REUTERS>\n"
    )


def reuters_files(stories: list[str]) -> dict[str, bytes]:
    """The stories, distributed over the 22 files of the distribution."""
    files = {f"reut2-{i:03}.sgm": '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' for i in range(22)}
    padding = (story(f"9{i:03}", "NOT-USED") for i in range(22))
    for i, text in enumerate([*padding, *stories]):
        files[f"reut2-{i % 22:03}.sgm"] += text
    return {name: text.encode("latin-1") for name, text in files.items()}


STORIES = [
    story(1, "TRAIN", ["wheat", "corn"], "<TITLE>Mill</TITLE><BODY>Grain moves.</BODY>"),
    story(2, "TRAIN", ["corn"]),
    story(3, "TEST", ["wheat", "unseen"]),
    story(4, "TEST"),
]
# what the archive of STORIES must hold: records, training and test documents, classes
REUTERS_COUNTS = (26, 2, 2, 2)


def reuters_archive(stories: list[str] = STORIES) -> bytes:
    return tar(reuters_files(stories))


def ohsumed_record(number, ui, terms=None, title="A title.", abstract="An abstract."):
    fields = {"U": ui, "S": "J Made Up 8701; 1(1):1-2", "M": terms, "T": title}
    fields |= {"P": "JOURNAL ARTICLE.", "W": abstract, "A": "Nobody A."}
    lines = [f".I {number}"]
    for tag, value in fields.items():
        if value is not None:
            lines += [f".{tag}", value]
    return "\n".join(lines) + "\n"


def ohsumed_files() -> dict[str, bytes]:
    """One record for each year, and a few that the reader leaves out or that have no label."""
    texts = {
        "ohsumed.87": ohsumed_record(1, "87000001", "Angina Pectoris/*DT; Human; Heart Arrest.")
        + ohsumed_record(2, "87000002", "Human; Asthma/TH.")
        + ohsumed_record(3, "87000003", "Angina Pectoris.", abstract=None)
        + ohsumed_record(4, "87000004", None),
        "ohsumed.88": ohsumed_record(5, "88000001", "*Heart Failure, Congestive; Male."),
        "ohsumed.89": ohsumed_record(6, "89000001", "Human."),
        "ohsumed.90": ohsumed_record(7, "90000001", "Heart Arrest/ET/*TH."),
        "ohsumed.91": ohsumed_record(8, "91000001", "Angina Pectoris/DI; Varicose Veins.")
        + ohsumed_record(9, "91000002", "Myocarditis.")
        + ohsumed_record(10, "91000003", "Human."),
    }
    return {name: text.encode("ascii") for name, text in texts.items()}


def medline_record(pmid, year, headings=("Humans",), abstract="An abstract.", title="A title."):
    names = "".join(
        f"<MeshHeading><DescriptorName>{name}</DescriptorName></MeshHeading>" for name in headings
    )
    body = f"<Abstract><AbstractText>{abstract}</AbstractText></Abstract>" if abstract else ""
    listed = f"<MeshHeadingList>{names}</MeshHeadingList>" if headings else ""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>"
        f"<ArticleTitle>{title}</ArticleTitle>{body}</Article>{listed}</MedlineCitation>"
        "<PubmedData><History>"
        '<PubMedPubDate PubStatus="medline"><Year>2001</Year></PubMedPubDate>'
        f'<PubMedPubDate PubStatus="pubmed"><Year>{year}</Year></PubMedPubDate>'
        "</History></PubmedData></PubmedArticle>\n"
    )


def medline_file(*records: str, prolog: str = "") -> bytes:
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{prolog}<PubmedArticleSet>\n'
    return gzip.compress((text + "".join(records) + "</PubmedArticleSet>\n").encode(), mtime=0)
