"""`tengen play`: a game in the terminal against any player, with hints and analysis."""

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING

from tengen import games
from tengen.cli import Verbs, add_device, add_engines, add_game, add_settings, add_verb, board, number, phrases
from tengen.play.players import choices

if TYPE_CHECKING:
    from rich.console import Console

    from tengen.play.players import Forfeit, Player
    from tengen.search.agent import Analysis

EXAMPLE = """example: tengen play connect4
         tengen play gomoku:15 --side second --opponent mcts:5000
         tengen play connect4 --opponent solver     somebody who never errs
         tengen play hex:11 --side both             two people at one keyboard
         tengen play othello --side none            watch a game

Without a terminal to type in, and without --side, it shows a game and ends."""

HUMANS = {"first": {0}, "second": {1}, "both": {0, 1}, "none": set[int]()}
OPPONENT = "mcts:1000"
ADVISER_SIMS = 5000  # of the search behind hint and analyze, or the opponent's if it has more
HINTS = 4  # moves that a hint names beside the best
DEMO_BOARDS = 40  # about as many boards does a demo print when it cannot redraw in place
DEMO_SECONDS = 0.4  # between two moves of a demo in a terminal


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "play", "play a game in the terminal", EXAMPLE, run, json=False)
    add_game(parser)
    parser.add_argument("--side", choices=HUMANS, help="who you play; none: a demo, both: two people (default: first)")
    default = f"(default: the network that ships for the game, else {OPPONENT})"
    parser.add_argument("--opponent", metavar="SPEC", help=f"{choices()} {default}")
    sims = number(int, 1, 10_000_000, "a whole number from 1 to 10000000")
    parser.add_argument("--sims", type=sims, help="simulations per move of the opponent")
    add_settings(parser, whose="the opponent")
    add_engines(parser)
    add_device(parser)
    parser.add_argument("--moves", metavar="TEXT", default="-", help="start after these moves ('-' for none)")
    parser.add_argument("--seed", type=number(int, 0, 2**63, "a whole number, 0 or more"), help="repeat a game")
    parser.add_argument("--lang", choices=phrases.PHRASES, help="language (default: the environment's)")


def run(args: argparse.Namespace) -> int:
    from rich.console import Console

    from tengen.play.outside.named import use_engines
    from tengen.play.players import make_player, usual_player

    state = games.make(args.game).from_moves(args.moves)
    side = args.side or ("first" if sys.stdin.isatty() else "none")
    seed = random.randrange(2**32) if args.seed is None else args.seed
    settings = [*([f"search.sims={args.sims}"] if args.sims else []), *args.set]
    spec = args.opponent or usual_player(state.game, OPPONENT)
    use_engines(args.engines)
    opponent = make_player(spec, state.game, seed=seed, settings=settings, device=args.device, commands=True)
    table = Table(state, opponent, args.lang or phrases.language(), Console(highlight=False))
    try:
        if side == "none":
            table.demo()
        else:
            table.play(HUMANS[side])
    except (EOFError, KeyboardInterrupt):
        print()
        table.say("bye")
    return 0


class Table:
    """One game being played: the position, the opponent, and the console it is shown on."""

    def __init__(self, state: games.State, opponent: "Player", lang: str, console: "Console") -> None:
        self.state, self.opponent, self.lang, self.console = state, opponent, lang, console
        self.phrases = phrases.PHRASES[lang]
        self.forfeit: Forfeit | None = None  # of the side to move, another program

    def is_over(self) -> bool:
        return self.forfeit is not None or self.state.is_terminal()

    def text(self, phrase: str, side: int = 0, **words: object) -> str:
        from rich.markup import escape

        name = self.phrases["second" if side else "first"]
        written = {key: escape(word) if isinstance(word, str) else word for key, word in words.items()}
        return self.phrases[phrase].format(mark=board.mark(self.console, self.state, side), side=name, **written)

    def say(self, phrase: str, side: int = 0, **words: object) -> None:
        self.console.print(self.text(phrase, side, **words), soft_wrap=True)

    def show(self) -> None:
        self.console.print(board.draw_board(self.console, self.state))
        first, second = self.state.captures() or (0, 0)
        if first or second:
            self.say("captures", first=first, second=second)

    def show_goals(self) -> None:
        """What each side is to do, where the two differ."""
        for side, goal in enumerate(self.state.game.facts.goals or ()):
            self.say("goal", side, goal=self.phrases[f"goal_{goal}"])

    def example_move(self) -> str:
        legal = self.state.legal_actions()
        return self.state.move_text(legal[len(legal) // 2]) if legal else "-"

    def advance(self) -> tuple[int, str] | None:
        """The opponent's move, played: who moved, and what. None if it gave the game up."""
        from tengen.play.players import Forfeit

        side, (action,) = self.state.to_move(), self.opponent.act_many([self.state], [0])
        if isinstance(action, Forfeit):
            self.forfeit = action
            return None
        move = self.state.move_text(action)
        self.state.apply(action)
        return side, move

    def answer(self) -> None:
        if played := self.advance():
            self.say("plays", played[0], move=played[1], opponent=self.opponent.name)

    def analysis(self) -> "Analysis":
        """What a search thinks of the position: the opponent's own kind where it searches, in a tree of its own."""
        from tengen.play.players import AgentPlayer, search_player
        from tengen.search.agent import Agent

        if not isinstance(self.opponent, AgentPlayer):
            return search_player(f"mcts:{ADVISER_SIMS},solver", self.state.game).agent.analyze(self.state)
        theirs = self.opponent.agent
        config = theirs.config.replace(sims=max(theirs.config.sims, ADVISER_SIMS), solver=True)
        return Agent(self.state.game, theirs.evaluator, config).analyze(self.state)

    def play(self, humans: set[int]) -> None:
        welcome = "welcome_both" if len(humans) == 2 else "welcome"
        self.say(welcome, game=self.state.game.id, move=self.example_move(), opponent=self.opponent.name)
        self.show_goals()
        self.show()
        while not self.is_over():
            if self.state.to_move() not in humans:
                self.answer()
                self.show()
            elif not self.ask(humans):
                self.say("bye")
                return
        self.show_result()

    def ask(self, humans: set[int]) -> bool:
        """One line from the person to move; False when they leave."""
        line = self.console.input(self.text("prompt", self.state.to_move())).strip()
        match phrases.command(line):
            case "quit":
                return False
            case "help":
                self.say("help", move=self.example_move())
            case "hint":
                self.hint()
            case "analyze":
                self.show_analysis()
            case "undo":
                self.undo(humans)
            case _ if line:
                self.play_typed(line)
        return True

    def hint(self) -> None:
        best, *others = self.analysis().moves
        score = f"{(1 + best.q) / 2:.0%}"
        if best.lead is None:
            self.say("hint", move=best.text, score=score)
        else:
            self.say("hint_lead", move=best.text, score=score, lead=f"{best.lead:+.1f}")
        moves, count = " ".join(move.text for move in others[:HINTS]), len(others) - HINTS
        if moves:
            self.say("hint_more" if count > 0 else "hint_next", moves=moves, count=count)

    def show_analysis(self) -> None:
        from tengen.cli.moves_table import moves_table

        self.console.print(moves_table(self.analysis(), self.lang, priors=False))

    def play_typed(self, line: str) -> None:
        try:
            self.state.apply(self.state.parse_move(line))
        except games.GameError as error:
            self.console.print(str(error), markup=False, soft_wrap=True)
        else:
            self.show()

    def undo(self, humans: set[int]) -> None:
        """Takes back the last move of a person, and what was answered to it."""
        replayed = self.state.game.start()
        turns = []  # the position before each move of a person
        for action in self.state.moves():
            if replayed.to_move() in humans:
                turns.append(replayed.copy())
            replayed.apply(action)
        if turns:
            self.state = turns[-1]
            self.show()
        else:
            self.say("nothing_to_undo")

    def demo(self) -> None:
        self.say("demo", game=self.state.game.id, opponent=self.opponent.name)
        self.show_goals()
        in_place = self.console.is_terminal and board.in_colour(self.console)
        if in_place:
            self.animate()
        else:
            step = max(1, self.state.game.max_plies // DEMO_BOARDS)
            while not self.is_over():
                self.answer()
                if self.state.ply() % step == 0 and not self.is_over():
                    self.show()
            self.show()
        self.show_result()

    def animate(self) -> None:
        from rich.live import Live

        with Live(board.draw_board(self.console, self.state), console=self.console, auto_refresh=False) as live:
            while not self.is_over():
                time.sleep(DEMO_SECONDS)
                self.advance()
                live.update(board.draw_board(self.console, self.state), refresh=True)

    def show_result(self) -> None:
        if self.forfeit:
            self.say("forfeits", self.state.to_move(), opponent=self.opponent.name, reason=self.forfeit.reason)
            self.say("wins", 1 - self.state.to_move(), plies=self.state.ply())
            self.say("moves", moves=self.state.moves_text())
            return
        value, plies = self.state.outcome(), self.state.ply()
        if value == 0:
            self.say("draw", plies=plies)
        else:
            to_move = self.state.to_move()
            self.say("wins", to_move if value > 0 else 1 - to_move, plies=plies)
        if (score := self.state.score()) is not None:
            first, second = (f"{points:g}" for points in score)
            self.say("score", first=first, second=second, result=games.result_text(self.state))
        self.say("moves", moves=self.state.moves_text())
