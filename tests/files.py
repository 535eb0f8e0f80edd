"""Makes small real PDF and Word files for tests: text pages in English and Japanese, an empty page, an encrypted one."""

import io
from collections.abc import Sequence
from typing import Any

_FONTS = (
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5 /Encoding /UniJIS-UCS2-H /DescendantFonts [ << /Type /Font "
    "/Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> "
    "/FontDescriptor << /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 "
    "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >> ] >>",
)
_ENCRYPTION = f"<< /Filter /Standard /V 1 /R 2 /O <{'41' * 32}> /U <{'42' * 32}> /P -4 >>"
"""No password fits it, so it opens without one as little as any file with an unknown password."""


def pdf(pages: Sequence[Sequence[str]], *, title: str = "", modified: str = "", encrypted: bool = False) -> bytes:
    """A PDF with these lines on its pages; a page without lines is empty, as a scanned one is for a reader of text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    fonts = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
    objects += _FONTS
    kids = []
    for lines in pages:
        stream = _content(lines)
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {fonts} /Contents {len(objects)} 0 R >>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title {_hex(title)} /ModDate ({modified}) >>")
    trailer = f"/Root 1 0 R /Info {len(objects)} 0 R /ID [<00> <00>]"
    if encrypted:
        objects.append(_ENCRYPTION)
        trailer += f" /Encrypt {len(objects)} 0 R"
    return _file(objects, trailer)


def _content(lines: Sequence[str]) -> str:
    shown = []
    for number, line in enumerate(lines):
        font, text = ("F1", f"({_escaped(line)})") if line.isascii() else ("F2", f"<{line.encode('utf-16-be').hex()}>")
        shown.append(f"BT /{font} 11 Tf 50 {780 - 16 * number} Td {text} Tj ET")
    return "\n".join(shown)


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _hex(text: str) -> str:
    return f"<feff{text.encode('utf-16-be').hex()}>"


def _file(objects: Sequence[str], trailer: str) -> bytes:
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.5\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def docx(parts: Sequence[tuple[str, Any]], *, title: str = "") -> bytes:
    """A Word document of (style, text) paragraphs; the style `table` takes rows of cells."""
    import docx as word

    document = word.Document()
    document.core_properties.title = title
    document.core_properties.author = ""
    for style, value in parts:
        if style == "table":
            table = document.add_table(len(value), len(value[0]))
            for row, cells in zip(table.rows, value, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            document.add_paragraph(value, style=style)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
