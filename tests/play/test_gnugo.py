"""Whole games with GNU Go, both as referee: the same legal moves at every ply, and the same area at the end."""

from collections.abc import Iterator

import pytest

from tengen import State, games
from tengen.cli import main
from tengen.play.outside.gtp import GtpClient
from tengen.play.outside.limits import EngineLimits
from tengen.play.outside.process import EngineFault, EngineProcess, find_program
from tengen.play.players import search_player

RULES = ("--chinese-rules", "--capture-all-dead", "--positional-superko")
COMMAND = ("gnugo", "--mode", "gtp", *RULES, "--never-resign", "--level", "1")


def is_installed() -> bool:
    try:
        find_program(COMMAND[0])
    except EngineFault:
        return False
    return True


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="GNU Go is not installed; apt-get install gnugo"),
]


class Referee(GtpClient):
    """GNU Go, asked for more than moves."""

    def legal(self, state: State) -> set[str]:
        colour, vertices = "bw"[state.to_move()], state.game.layout()["cell_names"]
        return {vertex for vertex in vertices if self.command(f"is_legal {colour} {vertex}") == "1"} | {"pass"}

    def vertices(self, question: str) -> set[str]:
        return set(self.command(question).lower().split())

    def score(self) -> str:
        return self.command("final_score")


@pytest.fixture
def process() -> Iterator[EngineProcess]:
    process = EngineProcess(COMMAND, EngineLimits())
    yield process
    process.close()


def cells_of(state: State, values: list[int], side: int) -> set[str]:
    names = state.game.layout()["cell_names"]
    return {names[cell] for cell, value in enumerate(values) if value == side + 1}


def play_out(state: State, gnugo: Referee, own: int) -> None:
    """Tengen has a side until GNU Go passes; then GNU Go moves for both, so that every dead stone is captured."""
    player, cleaning = search_player("plain:30", state.game, seed=own), False
    while not state.is_terminal():
        legal = {state.move_text(action) for action in state.legal_actions()}
        assert legal == gnugo.legal(state), state.moves_text()
        colour = "bw"[state.to_move()]
        if state.to_move() == own and not cleaning:
            (action,) = player.act_many([state], [0])
            gnugo.command(f"play {colour} {state.move_text(action)}")
        else:
            text = gnugo.command(f"genmove {colour}").lower()
            action = state.parse_move(text)
            cleaning = cleaning or text == "pass"
        state.apply(action)
        for side, name in enumerate(("black", "white")):
            assert gnugo.vertices(f"list_stones {name}") == cells_of(state, state.stones(), side), state.moves_text()


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("id", ["go:5", "go:9", "go:9,komi=7"])
def test_both_are_referees(id: str, own: int, process: EngineProcess) -> None:
    game = games.make(id)
    gnugo = Referee(process, game, EngineLimits())
    for command in (f"boardsize {game.layout()['rows']}", f"komi {games.options(game)['komi']}", "clear_board"):
        gnugo.command(command)
    state = game.start()
    play_out(state, gnugo, own)
    assert gnugo.command("final_status_list dead") == ""
    expected = "0" if games.result_text(state) == "Draw" else games.result_text(state)
    found = gnugo.score().upper()
    assert found.removesuffix(".0") == expected, state.moves_text()
    owners = state.owners()
    assert owners is not None
    for side, name in enumerate(("black", "white")):
        area = gnugo.vertices(f"list_stones {name}") | gnugo.vertices(f"final_status_list {name}_territory")
        assert area == cells_of(state, owners, side)


def test_a_match_is_played_without_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"gtp:{' '.join(COMMAND)}"
    assert main(["match", "go:5,komi=0.5", "random", command, "--games", "4", "--set-b", "engine.seconds=1"]) == 0
    said = capsys.readouterr().out
    assert "4 games" in said and "fault" not in said
