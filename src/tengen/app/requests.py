"""What the page may say: models of every request and of every WebSocket message, with bounds on all of it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tengen.kifu.branches import LONGEST_FACT
from tengen.run.shelf import RUN_NAME

LONGEST_MOVES = 2000  # above the longest game of the registry; the game's own bound is checked against its rules

LONGEST_ID = 140  # of a game: openspiel:NAME(PARAMETERS)

GameId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, examples=["connect4", "gomoku:9"])]
MoveText = Annotated[str, Field(max_length=64)]
PlayerId = Annotated[str, Field(min_length=1, max_length=200, examples=["shipped", "mcts", "run:NAME/best"])]
Setting = bool | int | float | Annotated[str, Field(max_length=40)]
Settings = Annotated[dict[Annotated[str, Field(max_length=40)], Setting], Field(max_length=100)]
Fact = Annotated[str, Field(max_length=LONGEST_FACT)]
RunName = Annotated[str, Field(pattern=RUN_NAME)]
SearchName = int | Annotated[str, Field(max_length=80)]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Position(Request):
    """A game from its start, or from a position text, and the moves since."""

    game: GameId
    start: Annotated[str, Field(max_length=2000)] | None = None
    moves: Annotated[list[MoveText], Field(max_length=LONGEST_MOVES)] = []


class AboutPosition(Request):
    position: Position


class Evaluate(AboutPosition):
    players: Annotated[list[PlayerId], Field(min_length=1, max_length=64)]
    owners: bool = False  # whose every cell will be, too


class Parse(Request):
    text: str
    game: GameId | None = None


class Export(Request):
    game: GameId
    start: Annotated[str, Field(max_length=2000)] | None = None
    tree: dict[str, Any]  # nested as deep as a game is long: checked by kifu, which does not recurse
    format: Literal["sgf", "json", "moves"]
    players: tuple[Fact | None, Fact | None] = (None, None)
    result: Annotated[str, Field(pattern=r"^([BW]\+(R|T|F|\d{1,4}(\.\d{1,2})?)?|Draw)$")] | None = None
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None


class StartRun(Request):
    game: GameId
    minutes: Annotated[float, Field(ge=0.01, le=1e6)]
    size: Annotated[str, Field(max_length=20)] | None = None
    name: RunName | None = None
    settings: Settings = {}


class ResumeRun(Request):
    minutes: Annotated[float, Field(ge=0.01, le=1e6)] | None = None


class RenameRun(Request):
    name: RunName


class TagRun(Request):
    tags: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)]  # judged by run.shelf


class DeleteRun(Request):
    confirm: Annotated[str, Field(max_length=300)]  # the run's name once more: no slip of the hand deletes a run


class SearchRequest(AboutPosition):
    type: Literal["search"]
    id: SearchName
    player: PlayerId
    settings: Settings = {}
    live: bool = True


class Review(AboutPosition):
    type: Literal["review"]
    id: SearchName
    player: PlayerId
    settings: Settings = {}


class More(Request):
    type: Literal["more"]
    id: SearchName
    sims: Annotated[int, Field(ge=1, le=10_000_000)]


class StopRequest(Request):
    type: Literal["stop"]
    id: SearchName


class NodeRequest(Request):
    type: Literal["node"]
    id: SearchName
    path: Annotated[list[int], Field(max_length=LONGEST_MOVES)]


class Picture(Request):
    type: Literal["picture"]
    id: SearchName
    nodes: Annotated[int, Field(ge=1, le=500)] = 100


Message = SearchRequest | Review | More | StopRequest | NodeRequest | Picture
MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])
