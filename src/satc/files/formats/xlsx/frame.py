"""The parts of a workbook around the one sheet that we write, as XML."""

from __future__ import annotations

from satc.files.formats.xlsx.escapes import escape_text
from satc.files.formats.xlsx.positions import column_letters

SHEET = "xl/worksheets/sheet1.xml"
HEADER_STYLE, DATE_STYLE, TIME_STYLE = 1, 2, 3  # positions among the styles below

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SCHEMAS = "http://schemas.openxmlformats.org"
_MAIN = f"{_SCHEMAS}/spreadsheetml/2006/main"
_RELATIONS = f"{_SCHEMAS}/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def escape_xml(text: str) -> str:
    """Escape a text for XML; characters that XML cannot hold as spreadsheet programs do."""
    plain = escape_text(text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def sheet_start(widths: list[int]) -> str:
    """Return the start of a sheet: the first row stays in view, and columns have widths."""
    columns = "".join(
        f'<col min="{k}" max="{k}" width="{width}" customWidth="1"/>'
        for k, width in enumerate(widths, start=1)
    )
    return (
        f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView tabSelected="1" '
        'workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
        'state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>'
        f"{f'<cols>{columns}</cols>' if columns else ''}<sheetData>"
    )


def sheet_end(n_columns: int, n_rows: int) -> str:
    """Return the end of a sheet, with buttons that filter its rows."""
    area = f"A1:{column_letters(n_columns - 1)}{n_rows}"
    return f'</sheetData><autoFilter ref="{area}"/></worksheet>'


def parts_before() -> dict[str, str]:
    """Return the parts that come before the sheet: programs know a workbook by the first one."""
    return {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _relations({"officeDocument": "xl/workbook.xml"}),
        "xl/_rels/workbook.xml.rels": _relations(
            {"worksheet": "worksheets/sheet1.xml", "styles": "styles.xml"}
        ),
        "xl/styles.xml": _styles(),
    }


def parts_after(name: str, n_columns: int, n_rows: int) -> dict[str, str]:
    """Return the parts that come after the sheet, of which they know the size."""
    area = f"$A$1:${column_letters(n_columns - 1)}${n_rows}"
    return {"xl/workbook.xml": _workbook(name, area)}


def _content_types() -> str:
    parts = {"/xl/workbook.xml": "sheet.main", f"/{SHEET}": "worksheet", "/xl/styles.xml": "styles"}
    overrides = "".join(
        f'<Override PartName="{part}" ContentType="{_KIND}.{kind}+xml"/>'
        for part, kind in parts.items()
    )
    return (
        f'{_XML}<Types xmlns="{_SCHEMAS}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relations(targets: dict[str, str]) -> str:
    found = "".join(
        f'<Relationship Id="rId{k}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for k, (kind, target) in enumerate(targets.items(), start=1)
    )
    schema = f"{_SCHEMAS}/package/2006/relationships"
    return f'{_XML}<Relationships xmlns="{schema}">{found}</Relationships>'


def _workbook(name: str, area: str) -> str:
    return (
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><bookViews><workbookView/>'
        f'</bookViews><sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets>'
        "<definedNames><definedName "
        f'name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">{name}!{area}</definedName>'
        "</definedNames></workbook>"
    )


def _styles() -> str:
    """Return the styles: plain, a header in bold, a date, and a date with its time."""
    font = '<sz val="11"/><name val="Calibri"/><family val="2"/>'
    cell = 'fontId="0" fillId="0" borderId="0" xfId="0"'
    return (
        f'{_XML}<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
        '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
        '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
        f'<fonts count="2"><font>{font}</font><font><b/>{font}</font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        f'</cellStyleXfs><cellXfs count="4"><xf numFmtId="0" {cell}/>'
        '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
        f'<xf numFmtId="164" {cell} applyNumberFormat="1"/>'
        f'<xf numFmtId="165" {cell} applyNumberFormat="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
        "</styleSheet>"
    )
