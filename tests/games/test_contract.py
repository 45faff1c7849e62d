"""The laws of cpp/tengen/game.h, on random positions of every game in the registry."""

import random
from itertools import pairwise

import pytest

from support.positions import IDS, NAMES, cell_map, cells_of_actions, colours_swapped, crowded, play, reachable
from tengen import Game, GameError, State, games

# Decided by counting, so no line of stones won; every other game is won by one.
COUNTED = {"othello", "go"}

every_game = pytest.mark.parametrize("id", IDS)


def snapshot(state: State) -> tuple[object, ...]:
    """All that a caller can see of a position."""
    return (
        state.position_text(),
        state.hash(),
        state.board_hash(),
        state.moves(),
        state.ply(),
        state.to_move(),
        state.legal_actions(),
        state.is_terminal(),
        state.planes().tobytes(),
        state.render(),
        state.highlights(),
    )


def test_the_registry_has_the_six_games() -> None:
    assert games.names() == NAMES


@every_game
def test_ids_are_canonical(id: str) -> None:
    game = Game.parse(id)
    assert game.id == id
    assert game == games.make(id) and hash(game) == hash(games.make(id))
    assert game != id
    assert game.name == id.split(":")[0].split(",")[0]


@every_game
def test_sides_alternate_and_games_end(id: str) -> None:
    game = Game.parse(id)
    for seed in range(4):
        for ply, state in enumerate(play(game.start(), random.Random(seed))):
            assert state.ply() == ply <= game.max_plies
            assert state.to_move() == ply % 2
            assert bool(state.legal_actions()) != state.is_terminal()


@every_game
def test_legal_actions_agree_with_is_legal(id: str) -> None:
    game = Game.parse(id)
    for state in reachable(game, 64, seed=1):
        legal = state.legal_actions()
        assert legal == [a for a in range(game.num_actions) if state.is_legal(a)]
        assert not state.is_legal(-1) and not state.is_legal(game.num_actions)


@every_game
def test_an_illegal_action_changes_nothing(id: str) -> None:
    game = Game.parse(id)
    rng = random.Random(2)
    for state in reachable(game, 64, seed=2):
        illegal = sorted(set(range(game.num_actions)) - set(state.legal_actions()))
        before = snapshot(state)
        for action in [*rng.sample(illegal, min(len(illegal), 4)), -1, game.num_actions, 65536, 2**31 - 1]:
            with pytest.raises(GameError):
                state.apply(action)
        assert snapshot(state) == before


@every_game
def test_only_finished_games_have_an_outcome(id: str) -> None:
    for state in reachable(Game.parse(id), 64, seed=3):
        if state.is_terminal():
            assert state.outcome() in (-1, 0, 1)
        else:
            with pytest.raises(GameError):
                state.outcome()


@every_game
def test_copies_are_independent(id: str) -> None:
    for state in reachable(Game.parse(id), 32, seed=4):
        before = snapshot(state)
        copy = state.copy()
        assert snapshot(copy) == before
        for _ in play(copy, random.Random(4)):
            pass
        assert snapshot(state) == before


def views(state: State) -> list[State]:
    swapped = colours_swapped(state)
    return [state] if swapped is None else [state, swapped]


@every_game
def test_hashes_are_equal_exactly_for_equal_positions(id: str) -> None:
    game = Game.parse(id)
    cells = game.planes_shape[1] * game.planes_shape[2]
    hash_of_planes: dict[bytes, int] = {}
    planes_of_hash: dict[int, bytes] = {}
    hash_of_stones: dict[tuple[int, ...], int] = {}
    stones_of_hash: dict[int, tuple[int, ...]] = {}
    seen = 0
    for sampled in [*crowded(game, 1500, seed=5), *reachable(game, 150_000 // (cells + 100), seed=5)]:
        for state in views(sampled):
            stones, board_hash = tuple(state.stones()), state.board_hash()
            assert hash_of_stones.setdefault(stones, board_hash) == board_hash
            assert stones_of_hash.setdefault(board_hash, stones) == stones
            for s in range(game.num_symmetries):
                planes, hash = state.planes(s).tobytes(), state.hash(s)
                assert hash_of_planes.setdefault(planes, hash) == hash, f"equal planes, two hashes: {state}"
                assert planes_of_hash.setdefault(hash, planes) == planes, f"one hash, different planes: {state}"
                seen += 1
    assert len(hash_of_planes) < seen, "the sample has no position twice, so it tests nothing"


def turned_start(game: Game, cells: list[int]) -> State:
    """The starting position with every stone moved to cells[its cell] (Othello's start is not its own mirror image)."""
    start = game.start()
    stones = dict(zip(cells, start.stones(), strict=True))
    if [stones[cell] for cell in range(len(cells))] == start.stones():
        return start
    _, rows, cols = game.planes_shape
    board = "/".join("".join(".XO"[stones[row * cols + col]] for col in range(cols)) for row in range(rows))
    return game.position(" ".join([board, *start.position_text().split()[1:]]))


@every_game
def test_the_rules_commute_with_every_symmetry(id: str) -> None:
    game = Game.parse(id)
    actions = range(game.num_actions)
    for s in range(game.num_symmetries):
        images = [game.transform(s, a) for a in actions]
        cells = cell_map(game, images)
        image = turned_start(game, cells)
        rng = random.Random(s)
        for state in play(game.start(), rng):
            if state.ply() > 0:
                image.apply(images[state.moves()[-1]])
            if len(cells) > 100 and rng.random() < 0.9 and not state.is_terminal():
                continue  # a long game on a large board: look at every tenth position
            assert sorted(images[a] for a in state.legal_actions()) == image.legal_actions()
            assert image.is_terminal() == state.is_terminal()
            assert image.to_move() == state.to_move()
            if state.is_terminal():
                assert image.outcome() == state.outcome()
                # As long, but not always the same: Hex has several shortest chains.
                assert len(state.highlights()["line"]) == len(image.highlights()["line"])
            assert [image.stones()[cell] for cell in cells] == state.stones()
            assert (image.planes() == state.planes(s)).all()
            assert image.hash() == state.hash(s)
            assert all(image.policy_index(images[a]) == state.policy_index(a, s) for a in actions)


@every_game
def test_planes_turn_as_the_policy_does(id: str) -> None:
    game = Game.parse(id)
    for state in reachable(game, 32, seed=6):
        plain = [state.policy_index(a) for a in range(game.num_actions)]
        for s in range(game.num_symmetries):
            shown = [state.policy_index(a, s) for a in range(game.num_actions)]
            assert sorted(shown) == list(range(game.num_actions))
            moved = dict(zip(plain, shown, strict=True))
            cells = cell_map(game, [moved[a] for a in range(game.num_actions)])
            planes, turned = (state.planes(view).reshape(game.planes_shape[0], -1) for view in (0, s))
            assert (turned[:, cells] == planes).all()


@every_game
def test_symmetries_form_a_group(id: str) -> None:
    game = Game.parse(id)
    maps = [tuple(game.transform(s, a) for a in range(game.num_actions)) for s in range(game.num_symmetries)]
    identity = tuple(range(game.num_actions))
    assert maps[0] == identity
    assert len(set(maps)) == len(maps)
    for s, first in enumerate(maps):
        undo = maps[game.inverse(s)]
        assert tuple(undo[a] for a in first) == identity
        for second in maps:
            assert tuple(second[a] for a in first) in maps


@every_game
def test_move_text_is_read_back(id: str) -> None:
    game = Game.parse(id)
    for state in reachable(game, 32, seed=7):
        texts = [state.move_text(a) for a in range(game.num_actions)]
        assert len(set(texts)) == len(texts)
        for action in state.legal_actions():
            assert state.parse_move(texts[action]) == action
        again = game.from_moves(state.moves_text())
        assert snapshot(again) == snapshot(state)


def future(state: State, rng: random.Random) -> list[object]:
    """Legal moves, planes and result of a random continuation, a few plies deep."""
    seen: list[object] = []
    for ply, later in enumerate(play(state.copy(), rng)):
        seen += [later.legal_actions(), later.planes().tobytes(), later.is_terminal() and later.outcome()]
        if ply == 12:
            break
    return seen


@every_game
def test_position_text_is_read_back(id: str) -> None:
    game = Game.parse(id)
    for number, state in enumerate(reachable(game, 100, seed=8)):
        text = state.position_text()
        assert "\n" not in text
        again = game.position(text)
        assert again.position_text() == text
        assert again.stones() == state.stones()
        assert again.hash() == state.hash() and again.board_hash() == state.board_hash()
        assert again.to_move() == state.to_move()
        assert again.highlights()["line"] == state.highlights()["line"]
        assert again.moves() == []
        assert again.legal_actions() == state.legal_actions()
        assert (again.planes() == state.planes()).all()
        # What lies ahead is the same too; but which boards Go's superko forbids later, only the list of moves tells.
        if game.name != "go":
            assert future(again, random.Random(number)) == future(state, random.Random(number))


@every_game
def test_stones_land_where_landing_cell_says(id: str) -> None:
    game = Game.parse(id)
    named = cells_of_actions(game)
    columns = game.layout()["kind"] == "gravity"
    rng = random.Random(9)
    for state in reachable(game, 48, seed=9):
        before, legal = state.stones(), state.legal_actions()
        for action in rng.sample(legal, min(len(legal), 25)):
            cell = state.landing_cell(action)
            assert columns or cell == named[action]
            after = state.copy()
            after.apply(action)
            assert after.highlights()["last"] == cell
            if cell is not None:
                assert before[cell] == 0 and after.stones()[cell] == state.to_move() + 1
        for action in set(range(game.num_actions)) - set(legal):
            assert state.landing_cell(action) is None


def finished(game: Game, count: int) -> list[State]:
    ends = []
    for seed in range(count):
        *_, end = play(game.start(), random.Random(seed))
        ends.append(end)
    return ends


@every_game
def test_the_winning_line_belongs_to_the_winner(id: str) -> None:
    game = Game.parse(id)
    for state in reachable(game, 48, seed=10):
        if not state.is_terminal():
            assert state.highlights()["line"] == []
    for state in finished(game, 40):
        line = state.highlights()["line"]
        assert len(set(line)) == len(line)
        assert bool(line) == (game.name not in COUNTED and state.outcome() != 0)
        if line:
            winner = state.to_move() if state.outcome() > 0 else 1 - state.to_move()
            assert {state.stones()[cell] for cell in line} == {winner + 1}


@pytest.mark.parametrize("id", [id for id in IDS if id.startswith("hex")])
def test_a_hex_chain_joins_the_winners_edges(id: str) -> None:
    """X owns the top and the bottom, O the left and the right; rows lean right, so up-left is no neighbour."""
    game = Game.parse(id)
    for state in finished(game, 40):
        chain = [divmod(cell, game.planes_shape[2]) for cell in state.highlights()["line"]]
        for (row, col), (next_row, next_col) in pairwise(chain):
            assert (next_row - row, next_col - col) in {(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)}
        winner = state.to_move() if state.outcome() > 0 else 1 - state.to_move()
        assert {chain[0][winner], chain[-1][winner]} == {0, game.planes_shape[1] - 1}


def area(state: State, colour: int) -> int:
    """Stones of a colour, and empty regions that touch no other colour."""
    _, rows, cols = state.game.planes_shape
    stones = state.stones()
    total = stones.count(colour)
    seen: set[int] = set()
    for first in range(rows * cols):
        if stones[first] or first in seen:
            continue
        region, borders, queue = {first}, set(), [first]
        while queue:
            row, col = divmod(queue.pop(), cols)
            for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
                if not (0 <= r < rows and 0 <= c < cols):
                    continue
                if stones[r * cols + c]:
                    borders.add(stones[r * cols + c])
                elif r * cols + c not in region:
                    region.add(r * cols + c)
                    queue.append(r * cols + c)
        seen |= region
        total += len(region) if borders == {colour} else 0
    return total


def komi(game: Game) -> float:
    given = game.id.partition("komi=")[2]
    table = next(list(entry["options"]) for entry in games.registry() if entry["name"] == "go")
    return float(given or next(option["default"] for option in table if option["name"] == "komi"))


@pytest.mark.parametrize("id", [id for id in IDS if Game.parse(id).name in COUNTED])
def test_the_count_decides(id: str) -> None:
    game = Game.parse(id)
    for state in finished(game, 40):
        if game.name == "go":
            margin = area(state, 1) - area(state, 2) - komi(game)
        else:
            margin = state.stones().count(1) - state.stones().count(2)
        sign = (margin > 0) - (margin < 0)
        assert state.outcome() == (sign if state.to_move() == 0 else -sign)


@every_game
def test_a_count_agrees_with_the_outcome_and_with_its_owners(id: str) -> None:
    game = Game.parse(id)
    counted = game.name in COUNTED
    for state in [*reachable(game, 16, seed=3), *finished(game, 10)]:
        score, owners = state.score(), state.owners()
        assert (score is not None) == (owners is not None) == counted
        if score is None or owners is None:
            continue
        extra = komi(game) if game.name == "go" else 0.0
        assert score == (owners.count(1), owners.count(2) + extra)
        assert all(owner == stone for owner, stone in zip(owners, state.stones(), strict=True) if stone)
        if state.is_terminal():
            lead = score[0] - score[1]
            assert state.outcome() == ((lead > 0) - (lead < 0)) * (1 if state.to_move() == 0 else -1)
            winner = "BW"[lead < 0]
            assert games.result_text(state) == (f"{winner}+{abs(lead):g}" if lead else "Draw")


@every_game
def test_captures_are_the_stones_that_left_the_board(id: str) -> None:
    game = Game.parse(id)
    for last in finished(game, 4):
        state = game.start()
        assert state.captures() == ((0, 0) if game.name == "go" else None)
        if game.name != "go":
            continue
        placed = [0, 0]
        for action in last.moves():
            placed[state.to_move()] += state.landing_cell(action) is not None
            state.apply(action)
            gone = [placed[side] - state.stones().count(side + 1) for side in (0, 1)]
            assert state.captures() == (gone[1], gone[0]) == state.copy().captures()


@every_game
def test_layout_and_drawing(id: str) -> None:
    game = Game.parse(id)
    layout = game.layout()
    rows, cols = layout["rows"], layout["cols"]
    assert (rows, cols) == game.planes_shape[1:]
    assert layout["kind"] in ("cells", "gravity", "lines", "hexes", "discs")
    assert len(set(layout["cell_names"])) == rows * cols
    for state in reachable(game, 16, seed=11):
        assert state.planes().shape == game.planes_shape
        assert len(state.stones()) == rows * cols
        drawn = state.render()
        assert len(drawn.splitlines()) == rows + 1  # the names of the columns
        assert [drawn.count(symbol) for symbol in "XO"] == [state.stones().count(stone) for stone in (1, 2)]
