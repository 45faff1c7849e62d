"""General code names no game, and what benchmarks/house.py counts is what is there."""

import subprocess
import sys
from pathlib import Path

import pytest

from tengen import games
from tengen.run.settings import RunConfig

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import house

GENERAL = Path("src/tengen/anything.py")


def written(tree: Path, place: Path, text: str) -> Path:
    """A small tree: the tables of two games, and one other file."""
    table = 'static const GameSpec spec{{"{}",\n    "{}", {{}}, 0, false, {{}}}};\n'
    for file, content in {
        Path("cpp/tengen/games/all.h"): table.format("connect4", "Connect4") + table.format("go", "Go"),
        place: text,
    }.items():
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text(content)
    return tree


def test_general_code_names_no_game() -> None:
    assert house.places_that_name_a_game(house.REPOSITORY) == []


def test_every_game_is_looked_for() -> None:
    titles = {str(entry[key]) for entry in games.registry() for key in ("name", "title")}
    assert house.game_names(house.REPOSITORY) == titles


def test_every_place_that_may_name_games_is_there_and_does(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = tuple(house.MAY_NAME_GAMES)
    monkeypatch.setattr(house, "MAY_NAME_GAMES", {})
    found = house.places_that_name_a_game(house.REPOSITORY)
    assert all(place.startswith(allowed) for place in found)
    assert [each for each in allowed if not any(place.startswith(each) for place in found)] == []


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (GENERAL, 'if game.name == "connect4": pass'),
        (GENERAL, 'SIZES = {"go": 19}'),
        (GENERAL, 'game = make("go:9,komi=7")'),
        (GENERAL, 'raise ValueError(f"{game} is not Connect4")'),
        (GENERAL, "def connect4_only(): pass"),
        (GENERAL, "from tengen._core import Connect4Solver"),
        (Path("cpp/tengen/search/anything.h"), 'if (id == "go") return;'),
        (Path("cpp/tengen/search/anything.h"), "/* a */ if constexpr (std::same_as<G, Go<9>>) return;  // b"),
        (Path("cpp/bindings/anything.cpp"), "const char quote = '\"'; Connect4 position;"),
    ],
)
def test_a_game_that_is_named_is_found(tmp_path: Path, place: Path, text: str) -> None:
    (found,) = house.places_that_name_a_game(written(tmp_path, place, text))
    assert found.startswith(f"{place}:1: ")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (GENERAL, '"""An example: connect4."""\n\ndef f():\n    """Go, Connect4."""  # and here'),
        (GENERAL, 'EXAMPLE = "tengen play connect4"\nadd("x", help="such as connect4")'),
        (GENERAL, 'print("go on, the games go far")'),
        (Path("cpp/tengen/search/anything.h"), "// Connect4: as in Go\nint go = 0; /* Go */"),
        (Path("cpp/tengen/games/other.h"), "class Connect4 {};"),
        (Path("src/tengen/bench/anything.py"), 'GAME = "connect4"'),
    ],
)
def test_examples_words_and_the_places_that_may_are_left_alone(tmp_path: Path, place: Path, text: str) -> None:
    assert house.places_that_name_a_game(written(tmp_path, place, text)) == []


def test_a_name_in_two_modules_is_found(tmp_path: Path) -> None:
    tree = written(tmp_path, GENERAL, "class Thing: pass\ndef add(): pass\ndef _own(): pass\nclass Bound: pass")
    written(tree, Path("src/tengen/other.py"), "class Thing: pass\ndef add(): pass\ndef _own(): pass\ndef other(): ...")
    written(tree, Path("src/tengen/cli/other.py"), "def anything(): pass")
    written(tree, Path("src/tengen/_core.pyi"), "class Seen: ...")
    written(tree, Path("cpp/tengen/x.h"), "struct Bound final {\n};\nstruct Seen {\n};\nstruct Thing;\n")
    assert house.names_with_two_meanings(tree) == {
        "Bound": ["anything.py", "cpp/tengen/x.h"],
        "Thing": ["anything.py", "other.py"],
        "anything": ["anything.py", "cli/other.py"],
    }


def test_the_options_are_those_of_a_run() -> None:
    sections = RunConfig("tictactoe").to_dict()
    assert house.options_by_section(house.REPOSITORY) == {name: len(values) for name, values in sections.items()}


def test_there_are_few_options() -> None:
    """A new one stays if a founding document names it, a preset sets it, or a measurement with an interval shows that
    it pays; then another one goes."""
    options = house.options_by_section(house.REPOSITORY)
    assert options["search"] <= 29 and options.total() <= 65


def test_the_script_prints_every_row() -> None:
    script = house.REPOSITORY / "benchmarks" / "house.py"
    done = subprocess.run([sys.executable, script, "--list"], capture_output=True, text=True, timeout=120, check=True)
    rows = {line[:34].strip(): line[34:].strip() for line in done.stdout.splitlines()}
    assert rows["places that name a game"] == "0" and int(rows["options"]) > 0 and int(rows["files in cpp"]) > 0
