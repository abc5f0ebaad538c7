"""Proof of which packages the tests met: each is imported by `met`, which prints version and path."""

from __future__ import annotations

import importlib
import importlib.metadata
import pathlib
from collections.abc import Callable
from types import ModuleType

import pytest

import humbly

ROOT = pathlib.Path(__file__).resolve().parents[1]
OURS = (ROOT, pathlib.Path(humbly.__file__).resolve().parent)
_MET: dict[str, str] = {}


@pytest.fixture(scope="session")
def met() -> Callable[[str, str], ModuleType]:
    """Imports a package, and fails where what it met is ours or belongs to no installed distribution."""

    def meet(module: str, distribution: str) -> ModuleType:
        package = importlib.import_module(module)
        path = pathlib.Path(package.__file__ or next(iter(package.__path__))).resolve()
        assert not any(path.is_relative_to(place) for place in OURS), f"`{module}` is our own: {path}"
        installed = importlib.metadata.distribution(distribution)
        files = {pathlib.Path(str(installed.locate_file(file))).resolve() for file in installed.files or ()}
        assert path in files, f"`{module}` at {path} is no file of {distribution} {installed.version}"
        _MET[module] = f"met {distribution} {installed.version} at {path}"
        return package

    return meet


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints version and path of every package that was met."""
    terminalreporter.section("packages")
    terminalreporter.write_line(f"humbly {humbly.__version__} at {humbly.__file__}")
    for line in sorted(_MET.values()):
        terminalreporter.write_line(line)
