"""SGF files of any program: how large one may be, and in which characters it is written."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path

from tengen.kifu.refused import KifuError

__all__ = ["LARGEST_FILE", "read_bounded", "read_sgf_file"]

LARGEST_FILE = 1 << 20  # bytes
CHARSET = re.compile(rb"CA\s*\[\s*([\w.:-]{1,40})\s*\]")
# Others that Python knows would read a text as something else, or take their time.
CHARSETS = {
    *("utf-8", "ascii", "iso8859-1", "iso8859-2", "iso8859-15", "cp1250", "cp1251", "cp1252", "koi8-r"),
    *("gb2312", "gbk", "gb18030", "big5", "big5hkscs", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "euc_kr", "cp949"),
}


def read_sgf_file(path: Path) -> str:
    """The text of a file, whose name must end in .sgf. Raises KifuError, OSError."""
    if path.suffix.lower() != ".sgf":
        raise KifuError("bad_sgf", "its name does not end in .sgf")
    return read_bounded(path)


def read_bounded(path: Path) -> str:
    """The text of a regular file, whatever its name; a pipe is not waited for. Raises KifuError, OSError."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise KifuError("bad_sgf", "not a file")
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise KifuError("too_large", f"a file has at most {LARGEST_FILE} bytes", most=LARGEST_FILE)
    return decode_sgf(data)


def decode_sgf(data: bytes) -> str:
    """By the property CA where it is right; else as UTF-8, which most programs write, else as the standard says.

    >>> decode_sgf("(;CA[GB18030]C[天元])".encode("gb18030")), decode_sgf(b"(;C[caf\\xe9])")
    ('(;CA[GB18030]C[天元])', '(;C[café])')
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    for charset in (*_told(data), "utf-8"):
        try:
            return data.decode(charset)
        except UnicodeDecodeError:
            continue
    return data.decode("iso8859-1")


def _told(data: bytes) -> list[str]:
    found = CHARSET.search(data)
    try:
        name = codecs.lookup(found[1].decode()).name if found else ""
    except (LookupError, UnicodeDecodeError):
        return []
    return [name] if name in CHARSETS else []
