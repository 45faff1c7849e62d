"""Families: a game on several board sizes, named in one canonical way."""

import pytest

from tengen import games
from tengen.games import Family, GameError


@pytest.mark.parametrize(
    ("text", "id", "members"),
    [
        ("go:5-7", "go:5-7", ["go:5", "go:6", "go:7"]),
        ("go:5-6,komi=6.5", "go:5-6,komi=6.5", ["go:5", "go:6"]),
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
    assert games.make("gomoku:7") not in Family.parse("gomoku:6-8,in_a_row=4")
    assert games.make("hex:4,swap=on") in Family.parse("hex:3-5,swap=on")


def test_an_option_that_the_network_sees_is_free_unless_it_is_named() -> None:
    free, fixed, one = (Family.parse(text) for text in ("go:5-7", "go:5-7,komi=6.5", "go:6"))
    other, usual = games.make("go:6,komi=-3"), games.make("go:6")
    assert [other in family for family in (free, fixed, one)] == [True, False, False]
    assert all(usual in family for family in (free, fixed, one))
    assert games.make("go:8,komi=9") not in free and games.make("hex:6") not in free
    assert free.free == ("komi",) and not fixed.free and not one.free
    assert (free.size_of(other), free.size_of("go:7,komi=9"), fixed.size_of(usual)) == (1, 2, 1)
    with pytest.raises(GameError, match="none of go:5-7"):
        fixed.size_of(other)


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
