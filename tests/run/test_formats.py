"""What an older Tengen wrote is still read: a run that commit 5140b96 trained, in `oldruns`."""

import json
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from support.training import sit
from tengen.cli import main
from tengen.config import ConfigError
from tengen.hub import database as ledgers
from tengen.hub.desk import Desk
from tengen.hub.ledger import Ledger
from tengen.records.chunk import FORMAT
from tengen.records.store import ChunkStore
from tengen.retired import RENAMED, RETIRED
from tengen.run.events import Started, TurnTaken, Warned
from tengen.run.folder import RunDirectory, RunError
from tengen.run.health import assess
from tengen.run.journal import RunDatabase, read_events
from tengen.run.settings import MIGRATIONS, RunConfig
from tengen.run.standings import Standings

OLD = Path(__file__).parent / "oldruns" / "5140b96"


@pytest.fixture
def old(tmp_path: Path) -> RunDirectory:
    shutil.copytree(OLD, tmp_path / "old")
    return RunDirectory(tmp_path / "old")


def test_a_run_of_an_older_version_goes_on(old: RunDirectory) -> None:
    chunks = sorted(path.name for path in old.games.iterdir())
    before = [
        record for _, records in ChunkStore(old.games).read(lambda path, why: pytest.fail(why)) for record in records
    ]
    assert {path.read_bytes()[8] for path in old.games.iterdir()} == {
        3
    } and "version" not in old.config_file.read_text()
    with old.changing():
        old.configure(old.config().with_settings(["loop.steps=30"]))
    events = sit(old)
    assert isinstance(events[0], Started) and events[0].resumed and events[0].step == 20
    assert events[0].positions == sum(record.positions for record in before) > 0
    assert events[-1].step == 30 and not [event for event in events if isinstance(event, Warned)]
    after = sorted(path.name for path in old.games.iterdir())
    assert after[: len(chunks)] == chunks and len(after) > len(chunks)
    assert {(old.games / name).read_bytes()[8] for name in after[len(chunks) :]} == {FORMAT}
    assert next(iter(Standings.read(old.ladder).measurements)).network == "00000020"


def test_the_events_of_an_older_version_are_read(old: RunDirectory) -> None:
    start, turn = read_events(old.database)
    assert isinstance(start, Started) and isinstance(turn, TurnTaken)
    assert (start.game, start.size, start.planned_minutes, start.planned_steps) == ("tictactoe", "1x1", 60, 20)
    assert (turn.games, turn.total_games, turn.positions, turn.loss) == (12, 12, 24, None)


def test_a_hub_of_an_older_version_keeps_what_it_knew(old: RunDirectory) -> None:
    with closing(sqlite3.connect(old.hub)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    desk = Desk(old, 0, "cpu")
    try:
        assert [manifest.configs()[0].sims for manifest in desk.ledger.releases()] == [8, 16]
        assert desk.ledger.holder(1) == "garage" and desk.ledger.chunk_of("ab" * 32) == "garage"
        assert (desk.ledger.standing("garage").games, desk.ledger.standing("garage").checked) == (4, 3)
    finally:
        desk.close()
    with closing(sqlite3.connect(old.hub)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(ledgers.MIGRATIONS),)
        for name in ("tokens", "leases", "chunks", "games", "workers"):
            kept = connection.execute(f"SELECT * FROM {name}").fetchall()
            assert (
                before[name]
                and [row[: len(earlier)] for row, earlier in zip(kept, before[name], strict=True)] == before[name]
            )
        for (manifest,), (_, earlier) in zip(
            connection.execute("SELECT manifest FROM releases"), before["releases"], strict=True
        ):
            settings = json.loads(earlier)
            assert settings["selfplay"].pop("side_positions") == settings["selfplay"].pop("cut_share") == 0
            settings["selfplay"]["label_nodes"] = settings["selfplay"].pop("prove_nodes")
            for option in [*RETIRED, *RENAMED]:
                section, name = option.split(".")
                settings.get(section, {}).pop(name, None)
            assert isinstance(manifest, bytes) and json.loads(manifest) == settings


def test_ledgers_opened_side_by_side_take_each_step_once(old: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column can be added only once."""
    steps = (*ledgers.MIGRATIONS, "ALTER TABLE chunks ADD COLUMN tried INTEGER NOT NULL DEFAULT 7;")
    monkeypatch.setattr(ledgers, "MIGRATIONS", steps)
    failed: list[BaseException] = []

    def open_one() -> None:
        try:
            Ledger(old.hub).close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with closing(sqlite3.connect(old.hub)) as connection:
        assert connection.execute("SELECT tried FROM chunks").fetchall() == [(7,)]


def test_a_step_that_fails_leaves_the_ledger_as_it_was(old: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "MIGRATIONS", (*ledgers.MIGRATIONS, "CREATE TABLE more (a); SELECT nonsense;"))
    with pytest.raises(sqlite3.Error):
        Ledger(old.hub)
    with closing(sqlite3.connect(old.hub)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
        assert not connection.execute("SELECT * FROM sqlite_master WHERE name = 'more'").fetchall()


def test_what_a_newer_version_wrote_is_refused_in_one_line(old: RunDirectory, tmp_path: Path) -> None:
    for path in (old.hub, old.database):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 1000")
    with pytest.raises(sqlite3.DatabaseError, match=r"version 1000 of hub\.sqlite is a newer Tengen's"):
        Ledger(old.hub)
    heard: list[str] = []
    RunDatabase(old.database, heard.append)(TurnTaken(1, 1.0))
    assert len(heard) == 1 and "newer Tengen" in heard[0] and len(read_events(old.database)) == 2
    text = old.config_file.read_text()
    for version in ("1000", "-1", "true", '"1"'):
        old.config_file.write_text(f"version = {version}\n{text}")
        with pytest.raises(RunError, match="a newer one wrote it"):
            old.config()
    ladder = json.loads(old.ladder.read_text())
    old.ladder.write_text(json.dumps(ladder | {"version": 1000}))
    with pytest.raises(RunError, match="a newer one wrote it"):
        Standings.read(old.ladder)


def test_options_that_are_gone_are_refused_only_where_they_were_used(old: RunDirectory) -> None:
    text = old.config_file.read_text()
    config = RunConfig.from_toml(text)
    assert "side_positions" in text and RunConfig.from_toml(config.to_toml()) == config
    assert f"\nversion = {len(MIGRATIONS)}\n" in config.to_toml() and "side_positions" not in config.to_toml()
    for was, now in (("side_positions = 0", "side_positions = 3"), ("cut_share = 0.0", "cut_share = 0.75")):
        old.config_file.write_text(text.replace(was, now))
        with pytest.raises(RunError, match=rf"selfplay.{now}.*: the option is gone since chunk format 4") as error:
            old.config()
        assert "\n" not in str(error.value)


def changed(text: str, option: str, value: str) -> str:
    """A run.toml with another value of an option, which it may have had or not."""
    section, name = option.split(".")
    head, _, rest = text.partition(f"[{section}]\n")
    body, *more = rest.split("\n[", 1)
    kept = [line for line in body.splitlines() if not line.startswith(f"{name} = ")]
    return "".join([f"{head}[{section}]\n", "\n".join([f"{name} = {value}", *kept]), *(f"\n[{part}" for part in more)])


@pytest.mark.parametrize("option", sorted(RETIRED.keys() - {"loop.threads"}))
def test_a_retired_option_is_accepted_at_its_default_alone(old: RunDirectory, option: str) -> None:
    text, default = old.config_file.read_text(), RETIRED[option][0]
    assert RunConfig.from_toml(changed(text, option, json.dumps(default))) == RunConfig.from_toml(text)
    other = json.dumps("sprt" if default == "off" else not default if isinstance(default, bool) else 2 * default + 0.5)
    with pytest.raises(ConfigError, match=rf"{option} = .*: the option was retired, .*; write .* there") as refused:
        RunConfig.from_toml(changed(text, option, other))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            {"search.root": '"gumbel"', "search.noise_epsilon": "0"},
            {"search.rule": "gumbel", "search.noise_epsilon": 0},
        ),
        ({"search.rule": '"ucb1"', "search.c_ucb": "0.7"}, {"search.rule": "ucb1", "search.c_init": 0.7}),
        ({"search.c_ucb": "0.7"}, {}),  # without ucb1 it did nothing
        ({"selfplay.prove_nodes": "300"}, {"selfplay.label_nodes": 300}),
        ({"replay.deeper_after": "500"}, {"loop.deeper_after": 500}),
    ],
    ids=str,
)
def test_an_option_with_another_name_keeps_its_value(
    old: RunDirectory, was: dict[str, str], now: dict[str, object]
) -> None:
    text = old.config_file.read_text()
    expected = RunConfig.from_toml(text).with_settings([f"{option}={value}" for option, value in now.items()])
    for option, value in was.items():
        text = changed(text, option, value)
    assert RunConfig.from_toml(text) == expected == RunConfig.from_toml(expected.to_toml())


@pytest.mark.parametrize("option", [*RETIRED, *RENAMED])
def test_the_command_line_says_that_an_option_was_retired(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb = ["analyze", "tictactoe", "-"] if option.startswith("search.") else ["train", "tictactoe"]
    assert main([*verb, "--set", f"{option}=1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{option} was retired: " in line


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def test_a_run_whose_games_cannot_be_read_does_not_learn_from_nothing(old: RunDirectory) -> None:
    state = old.state.read_bytes()
    for path in list(old.games.iterdir()):
        spoil(path)
    with pytest.raises(RunError, match=r"none of the 4 chunks in .* can be used \(.*damaged\)") as error:
        sit(old)
    assert "\n" not in str(error.value) and old.state.read_bytes() == state and len(list(old.games.iterdir())) == 4
    for path in old.games.iterdir():
        path.unlink()
    start = sit(old)[0]
    assert (
        isinstance(start, Started) and start.positions == 0
    )  # moved away, as the line says: the run goes on from new games


def test_chunks_that_cannot_be_read_are_counted_and_shown(old: RunDirectory) -> None:
    for path in sorted(old.games.iterdir())[:3]:
        spoil(path)
    with old.changing():
        old.configure(old.config().with_settings(["loop.steps=40"]))
    events = sit(old)
    (warning,) = (event.reason for event in events if isinstance(event, Warned))
    assert warning.startswith("3 chunks of games are left out; ") and "damaged" in warning
    turns = [event for event in events if isinstance(event, TurnTaken)]
    assert {turn.unread_chunks for turn in turns} == {3}
    assert all(turn.loss is not None for turn in turns[1:])  # it does not wait until there are as many games as before
    (note,) = (note for note in assess(events).notes() if "chunks" in note)
    assert note == "3 chunks of games could not be read and are left out: the warnings say why"
