"""Families: a game on several board sizes, named in one canonical way."""

import pytest

from tengen import games
from tengen.games import Family, GameError


@pytest.mark.parametrize(
    ("text", "id", "members"),
    [
        ("go:5-7", "go:5-7", ["go:5", "go:6", "go:7"]),
        ("go:5-6,komi=6.5", "go:5-6", ["go:5", "go:6"]),
        ("go:5-6,komi=7.50", "go:5-6,komi=7.5", ["go:5,komi=7.5", "go:6,komi=7.5"]),
        ("othello:6-8", "othello:6-8", ["othello:6", "othello"]),
        ("gomoku:06-7,in_a_row=4", "gomoku:6-7,in_a_row=4", ["gomoku:6,in_a_row=4", "gomoku:7,in_a_row=4"]),
        ("hex:3", "hex:3", ["hex:3"]),
        ("connect4", "connect4", ["connect4"]),
    ],
)
def test_a_family_has_one_name_and_all_sizes_between(text: str, id: str, members: list[str]) -> None:
    family = Family.parse(text)
    assert family.id == id and Family.parse(id) == family
    assert [game.id for game in family.games] == members
    assert (family.smallest.id, family.largest.id) == (members[0], members[-1])
    assert all(games.make(member) in family for member in members) and games.make("tictactoe") not in family
    assert (family.name, family.schema) == (family.largest.name, family.largest.schema)


def test_options_are_part_of_a_family() -> None:
    assert games.make("go:5,komi=7.5") not in Family.parse("go:5-7")
    assert games.make("hex:4,swap=on") in Family.parse("hex:3-5,swap=on")


@pytest.mark.parametrize(
    "text",
    [
        *("go:7-5", "go:5-5", "go:1-5", "go:5-20", "go:5-", "go:-5", "go:5-7-9", "go:5-9x", "go:5-7,", "go:5 - 7"),
        *("connect4:5-7", "chess:5-7", "go:5-7,komi=x", "go:5-7,swap=on", "go:5-7\n", "go:٣-7", "go:5-" + "9" * 5000),
        *("othello:6-7", "", ":5-7", "go:5-7,komi=7.5,komi=8.5"),
    ],
)
def test_what_is_no_family_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(GameError) as error:
        Family.parse(text)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
