"""docs/training.md lists every option of a run, with the default and the sentence that stand where it is defined."""

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

from tengen.config import SearchConfig, SelfPlayConfig
from tengen.run.settings import RunConfig

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
BEGIN, END = "--regen` -->\n", "<!-- end of options -->"


def sentences(config: Any) -> dict[str, str]:
    """The options of a section, and what is said about each."""
    if isinstance(config, SearchConfig | SelfPlayConfig):
        return {str(field["name"]): str(field["about"]) for field in config.fields()}
    (definition,) = ast.parse(inspect.getsource(type(config))).body
    assert isinstance(definition, ast.ClassDef)
    found, name = dict[str, str](), ""
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            found[name] = ""
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[name] = str(node.value.value)
    return found


def shown(value: Any) -> str:
    return (
        ("on" if value else "off")
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def tables() -> str:
    config = RunConfig("tictactoe")
    lines = []
    for section, values in config.to_dict().items():
        about = sentences(getattr(config, section))
        lines += ["", f"| {section}. | default | |", "|---|---|---|"]
        lines += [f"| `{name}` | {shown(value)} | {about[name].replace('|', '∣')} |" for name, value in values.items()]
    return "\n".join([*lines, "", ""])


def test_every_option_has_a_sentence() -> None:
    config = RunConfig("tictactoe")
    for section, values in config.to_dict().items():
        about = sentences(getattr(config, section))
        assert about.keys() == values.keys() and all(about.values()), section


def test_the_page_lists_every_option(request: pytest.FixtureRequest) -> None:
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    listed, after = rest.split(END)
    if request.config.getoption("--regen"):
        PAGE.write_text(before + BEGIN + tables() + END + after, "utf-8")
        return
    assert listed == tables(), "run: pytest tests/project/test_training_docs.py --regen"
