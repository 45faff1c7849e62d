"""The documentation says what is so: its examples run, its links lead somewhere, its commands exist."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import tengen
from tengen.cli import VERBS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
READMES = ["README.md", "README.zh-CN.md"]
MODULES = [
    "tengen",
    *(module.name for module in pkgutil.walk_packages(tengen.__path__, "tengen.") if not module.name.endswith("_")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages_run(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("name", READMES)
def test_each_readme_has_an_example(name: str) -> None:
    assert doctest.testfile(str(ROOT / name), module_relative=False).attempted >= 5


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)|src=\"([^\"]+)\"", page.read_text())
    for target in filter(None, (a or b for a, b in targets)):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_code_blocks_exist(page: Path) -> None:
    blocks = re.findall(r"```(?:bash|console)\n(.*?)```", page.read_text(), re.DOTALL)
    commands = re.findall(r"^(?:\.venv/bin/)?tengen ([a-z]+)", "\n".join(blocks), re.MULTILINE)
    assert set(commands) <= set(VERBS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z-]+)`", page.read_text()):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
