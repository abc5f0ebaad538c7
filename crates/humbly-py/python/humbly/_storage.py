"""Files on local disk or object storage: list them, cut them into blocks, read a block."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from humbly._humbly import InputError, ParameterError

Path = Union[str, "os.PathLike[str]"]
LINES = 1024
"""So many rows are handed on at a time."""
_BLANK = b" \t\n\r\x0c"


@dataclass(frozen=True)
class File:
    """A file in a storage."""

    storage: pafs.FileSystem = field(compare=False)
    inner: str
    """Its path within the storage."""
    shown: str
    """Its path as the user wrote it."""
    size: int
    is_named: bool
    """Whether the user named it, rather than a folder above it."""

    @property
    def is_parquet(self) -> bool:
        """Whether its name says that it is Parquet."""
        return self.inner.lower().endswith((".parquet", ".pq"))


@dataclass(frozen=True)
class Block:
    """A part of a file: bytes of JSONL, or one row group of Parquet."""

    file: File
    start: int
    """First byte, or the row group."""
    stop: int
    before: int = 0
    """Lines of the file before this block, once they are counted."""


def storage_of(path: str, filesystem: Any = None) -> tuple[pafs.FileSystem, str]:
    """The storage and the path within it; a URI that pyarrow does not know goes to fsspec."""
    if filesystem is not None:
        if not isinstance(filesystem, pafs.FileSystem):
            filesystem = pafs.PyFileSystem(pafs.FSSpecHandler(filesystem))
        return filesystem, path.split("://", 1)[-1]
    if "://" not in path:
        return pafs.LocalFileSystem(), os.path.abspath(path)
    try:
        storage, inner = pafs.FileSystem.from_uri(path)
        return storage, inner
    except pa.ArrowInvalid:
        import fsspec

        found, inner = fsspec.core.url_to_fs(path)
        return pafs.PyFileSystem(pafs.FSSpecHandler(found)), inner


def files_of(paths: Path | Iterable[Path], endings: tuple[str, ...], filesystem: Any = None) -> list[File]:
    """Named files, and those below folders that end as said; in the order of their paths, each once.

    :raises InputError: a path does not exist, or no file is left.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found: dict[str, File] = {}
    for path in (os.fspath(path) for path in paths):
        storage, inner = storage_of(path, filesystem)
        about = storage.get_file_info(inner)
        if about.type == pafs.FileType.NotFound:
            raise InputError(f"{path}: no such file or folder")
        if about.type == pafs.FileType.File:
            found[path] = File(storage, inner, path, about.size, True)
            continue
        for below in storage.get_file_info(pafs.FileSelector(inner, recursive=True)):
            if below.type == pafs.FileType.File and below.path.lower().endswith(endings):
                shown = f"{path.rstrip('/')}/{os.path.relpath(below.path, inner)}"
                found.setdefault(shown, File(storage, below.path, shown, below.size, False))
    if not found:
        raise InputError(f"no file that ends in {', '.join(endings)} below the given paths")
    return [found[shown] for shown in sorted(found, key=lambda shown: shown.split("/"))]


def blocks_of(files: list[File], blocks: int | None, block_bytes: int = 32 << 20) -> list[Block]:
    """Cuts files into blocks: about ``blocks`` in all, else of ``block_bytes``; Parquet has its row groups."""
    if blocks is not None and blocks < 1:
        raise ParameterError(f"blocks is {blocks}, expected at least 1")
    total = sum(file.size for file in files if not file.is_parquet)
    size = block_bytes if blocks is None else max(1, -(-total // blocks))
    cut = []
    for file in files:
        if file.is_parquet:
            with file.storage.open_input_file(file.inner) as opened:
                groups = pq.ParquetFile(opened).metadata
            before = 0
            for group in range(groups.num_row_groups):
                cut.append(Block(file, group, group + 1, before))
                before += groups.row_group(group).num_rows
        else:
            cut += [Block(file, at, min(at + size, file.size)) for at in range(0, file.size, size)]
    return cut


def count_lines(block: Block) -> int:
    """How many lines end within a block of JSONL."""
    count, left = 0, block.stop - block.start
    with block.file.storage.open_input_file(block.file.inner) as opened:
        opened.seek(block.start)
        while left > 0 and (chunk := opened.read(min(left, 1 << 20))):
            count, left = count + chunk.count(b"\n"), left - len(chunk)
    return count


def lines_of(block: Block, columns: set[str]) -> Iterator[list[tuple[int, str]]]:
    """The rows of a block as JSON texts with their line (row) of the file, from 1, some at a time."""
    numbered = _rows(block, columns) if block.file.is_parquet else _lines(block)
    batch: list[tuple[int, str]] = []
    for row in numbered:
        batch.append(row)
        if len(batch) == LINES:
            yield batch
            batch = []
    if batch:
        yield batch


def _lines(block: Block) -> Iterator[tuple[int, str]]:
    # A line belongs to the block in which it begins.
    with block.file.storage.open_input_file(block.file.inner) as opened:
        at, line = block.start, block.before
        opened.seek(max(at - 1, 0))
        reader = io.BufferedReader(opened, 1 << 20)
        if at > 0:
            rest = reader.readline()
            if rest != b"\n":
                at, line = at - 1 + len(rest), line + 1
        while at < block.stop and (text := reader.readline()):
            at, line = at + len(text), line + 1
            if text.strip(_BLANK):
                yield line, text.decode("utf-8", "replace")


def _rows(block: Block, columns: set[str]) -> Iterator[tuple[int, str]]:
    with block.file.storage.open_input_file(block.file.inner) as opened:
        parquet = pq.ParquetFile(opened)
        present = [name for name in parquet.schema_arrow.names if name in columns]
        line = block.before
        for batch in parquet.iter_batches(LINES, row_groups=[block.start], columns=present):
            for row in batch.to_pylist():
                line += 1
                yield line, json.dumps(row, ensure_ascii=False, default=str)
