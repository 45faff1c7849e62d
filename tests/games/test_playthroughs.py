"""Golden playthroughs: one readable game per file in tests/games/playthroughs, compared line for line.

A change of rules, text, planes or hashes shows up as a diff to read. When it is meant, rewrite the files:

    .venv/bin/python -m pytest tests/games/test_playthroughs.py --regen
"""

import hashlib
import re
from pathlib import Path

import pytest

from tengen import Game, State

FOLDER = Path(__file__).parent / "playthroughs"
GAMES = [
    "tictactoe",
    "connect4",
    "gomoku:7,in_a_row=4",
    "gomoku:9,rule=renju",
    "othello:6",
    "go:5",
    "hex:5",
    "hex:5,swap=on",
]
BOARDS = 10  # about so many boards per file


def chosen_action(state: State) -> int:
    """Random-looking, and the same on every machine and Python version. A swap is always taken: it is offered once."""
    digest = hashlib.sha256(f"{state.game.id} {state.ply()}".encode()).digest()
    legal = state.legal_actions()
    swaps = [action for action in legal if state.move_text(action) == "swap"]
    return swaps[0] if swaps else legal[int.from_bytes(digest[:8], "big") % len(legal)]


def facts(game: Game) -> list[str]:
    planes, rows, cols = game.planes_shape
    layout = game.layout()
    return [
        "# A golden playthrough; how to rewrite it is said in tests/games/test_playthroughs.py.",
        f"id          {game.id}",
        f"actions     {game.num_actions}",
        f"planes      {planes} x {rows} x {cols}",
        f"schema      {game.schema}",
        f"symmetries  {game.num_symmetries}",
        f"max plies   {game.max_plies}",
        f"layout      {layout['kind']}, cells {layout['cell_names'][0]} to {layout['cell_names'][-1]}",
    ]


def shown(state: State) -> list[str]:
    planes = hashlib.sha256(state.planes().tobytes()).hexdigest()[:16]
    return [
        "",
        f"-- ply {state.ply()}: {'XO'[state.to_move()]} to move",
        *(line.rstrip() for line in state.render().splitlines()),
        f"position    {state.position_text()}",
        f"hash        {state.hash():016x}, board {state.board_hash():016x}",
        f"planes      sha256 {planes}",
        f"legal       {' '.join(map(state.move_text, state.legal_actions())) or '-'}",
    ]


def playthrough(game: Game) -> str:
    end = game.start()
    while not end.is_terminal():
        end.apply(chosen_action(end))
    step = end.ply() // BOARDS | 1  # odd, so that both sides' turns are shown
    lines = facts(game)
    state = game.start()
    for action in end.moves():
        if state.ply() % step == 0:
            lines += shown(state)
        lines.append(f"move        {state.move_text(action)} (action {action})")
        state.apply(action)
    outcome = {1: "wins", 0: "draws", -1: "loses"}[state.outcome()]
    lines += [*shown(state), f"outcome     {state.outcome():+d}: {'XO'[state.to_move()]} {outcome}"]
    lines += ["", f"moves       {state.moves_text()}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("id", GAMES)
def test_playthrough(id: str, request: pytest.FixtureRequest) -> None:
    file = FOLDER / (re.sub(r"\W", "_", id) + ".txt")
    text = playthrough(Game.parse(id))
    if request.config.getoption("--regen"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()


def test_no_file_is_left_over() -> None:
    expected = {re.sub(r"\W", "_", id) + ".txt" for id in GAMES}
    assert {file.name for file in FOLDER.iterdir()} == expected
