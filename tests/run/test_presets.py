"""Presets: each one parses, names a game that exists, and is found from that game's id."""

import tomllib
from importlib import resources

import pytest

from tengen import games
from tengen.net.shape import NetworkShape
from tengen.preset import file_name, playing_search, preset_names
from tengen.run.settings import RunConfig

MEASURED = ["tictactoe", "connect4", "gomoku:6,in_a_row=4", "gomoku:9", "othello", "othello:6", "go:5", "hex:7"]
SCALED = ["go:9"]


GENERAL = {"go", "any"}  # for boards and families without a preset of their own


def test_every_preset_is_of_a_game() -> None:
    named = {file_name(games.make(id).id) for id in [*MEASURED, *SCALED]}
    assert set(preset_names()) == named | GENERAL


@pytest.mark.parametrize("id", [*MEASURED, *SCALED])
def test_presets_are_used(id: str) -> None:
    game = games.make(id)
    config = RunConfig.of(game)
    text = (resources.files("tengen") / "data" / "presets" / f"{file_name(game.id)}.toml").read_text("utf-8")
    values = tomllib.loads(text)
    play = values.pop("play", {})
    assert config == RunConfig(game.id).with_values(values) != RunConfig(game.id)
    assert RunConfig.from_toml(config.to_toml()) == config
    NetworkShape.of(game, config.loop.size)
    playing = playing_search(game)
    assert {name: getattr(playing, name) for name in play} == play
    # Nothing is left to chance, and moves can be asked for at any time: sequential halving says little before its end.
    assert (playing.rule, playing.noise_epsilon, playing.temperature_plies) == ("puct", 0, 0)
    assert ("not tuned yet" in text) == (id in SCALED)


@pytest.mark.parametrize(
    ("id", "preset"), [("go:5,komi=20.5", "go:5"), ("go:9,komi=7", "go:9"), ("gomoku:9,rule=exact", "gomoku:9")]
)
def test_other_options_fall_back_to_name_and_size(id: str, preset: str) -> None:
    config, parent = RunConfig.of(games.make(id)), RunConfig.of(games.make(preset))
    assert config.game == id
    assert config.with_values({}).to_toml().split("\n", 1)[1] == parent.to_toml().split("\n", 1)[1]


def test_other_sizes_have_the_preset_of_any_game() -> None:
    text = (resources.files("tengen") / "data" / "presets" / "any.toml").read_text("utf-8")
    assert RunConfig.of(games.make("gomoku:15")) == RunConfig("gomoku:15").with_values(tomllib.loads(text))
