"""Lines that nobody should send to the analysis engine: it answers each of them, and then a query."""

import copy
import json
import random
import string
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tengen import games
from tengen.engine import analysis
from tengen.engine.channel import Odd, Script
from tengen.engine.thinker import Thinker

GAME = games.make("go:5")
GOOD: list[dict[str, Any]] = [
    {
        "id": "QUERY:1",
        "moves": [["B", "C3"], ["W", "D4"], ["B", "pass"]],
        "analyzeTurns": [0, 1, 2, 3],
        "rules": "japanese",
        "komi": 6.5,
        "boardXSize": 5,
        "boardYSize": 5,
        "maxVisits": 4,
        "priority": 1,
        "initialStones": [["B", "A1"], ["W", "E5"]],
        "initialPlayer": "B",
        "includePolicy": True,
        "includeOwnership": True,
        "includeMovesOwnership": True,
        "includePVVisits": True,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "maxTime": 8.0, "wideRootNoise": 0.04},
        "avoidMoves": [{"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}],
    },
    {"id": "x", "moves": [], "maxVisits": 3, "reportDuringSearchEvery": 0.5, "firstReportDuringSearchAfter": 0.1},
    {"id": "t", "action": "terminate", "terminateId": "QUERY:1", "turnNumbers": [0, 1]},
    {"id": "all", "action": "terminate_all"},
    {"id": "v", "action": "query_version"},
    {"id": "c", "action": "clear_cache"},
]
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 25, 10**30, -(10**18), 1.5, 1e300, "", "B", "pass", "c3", "Z99", "\x00", "\ud800",
    "ａ１", [], [[]], {}, {"a": {}}, [None], ["B", "C3"], [["B", "C3"]], [["W", "C3"]], [0, 1], [10**9], ["x"] * 50,
]  # fmt: skip


def mutated(chance: random.Random) -> str:
    """A good line with something wrong in it, mostly."""
    query = copy.deepcopy(chance.choice(GOOD))
    for _ in range(chance.randrange(4)):
        at: Any = query
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(at[key], dict | list) and chance.random() < 0.6:
                at = at[key]
                continue
            match chance.randrange(4):
                case 0:
                    del at[key]
                case 1 if isinstance(at, list):
                    at.append(copy.deepcopy(at[key]))
                case 2 if isinstance(at, dict):
                    at[f"{key}s"] = at[key]
                case _:
                    at[key] = copy.deepcopy(chance.choice(VALUES))
            break
    text = json.dumps(query)
    if chance.random() < 0.3:
        cut = chance.randrange(len(text))
        junk = "".join(chance.choices(string.printable.replace("\n", ""), k=chance.randrange(5)))
        text = text[:cut] + junk + text[cut + chance.randrange(6) :]
    return text


def answers_of(lines: list[str | Odd]) -> list[dict[str, Any]]:
    """What the engine says, as JSON; every line has the fields that its kind has."""

    class Lines(Script):
        def read(self) -> str | Odd:
            return lines.pop(0) if lines else Odd.END

        def waiting(self) -> bool:  # with pauses, in which positions are searched
            return pauses.random() < 0.7

    pauses = random.Random(1)
    channel = Lines()
    analysis.serve(channel, Thinker("uniform@5"), GAME)
    said = [json.loads(line, parse_constant=pytest.fail) for line in channel.said.splitlines()]
    for answer in said:
        assert isinstance(answer, dict)
        kinds = [kind for kind in ("error", "warning", "action", "rootInfo", "noResults") if kind in answer]
        assert len(kinds) == 1, answer
        assert kinds[0] == "error" or isinstance(answer["id"], str)
    return said


def check(lines: list[str | Odd]) -> None:
    """Every line alone gets an answer, or as many as it asks for; all together leave the engine able to answer."""
    told = answers_of([*lines, '{"id":"last","maxVisits":2}'])
    assert [answer["rootInfo"]["visits"] for answer in told if answer.get("id") == "last"] == [2]
    assert len(told) >= sum(1 for line in lines if _wants_an_answer(line)), "a line without an answer"


def _wants_an_answer(line: str | Odd) -> bool:
    if isinstance(line, Odd):
        return line is Odd.TOO_LONG
    try:
        return bool(line.strip()) and json.loads(line).get("analyzeTurns") != []
    except (ValueError, AttributeError, RecursionError):
        return bool(line.strip())


HOSTILE: dict[str, str | Odd] = {
    "a line of 10 MB": Odd.TOO_LONG,
    "deep lists": "[" * 100_000,
    "deep objects": '{"id":"a","moves":' + '{"a":' * 50_000,
    "deep and closed": '{"id":"a","rules":' + "[" * 5000 + "]" * 5000 + "}",
    "huge int": '{"id":"a","maxVisits":' + "9" * 5000 + "}",
    "huge exponent": '{"id":"a","komi":1e999}',
    "not a number": '{"id":"a","komi":NaN}',
    "infinite": '{"id":"a","komi":-Infinity}',
    "many turns": json.dumps({"id": "a", "analyzeTurns": list(range(100_000))}),
    "the same turn": json.dumps({"id": "a", "analyzeTurns": [0] * 100_000}),
    "many moves": json.dumps({"id": "a", "moves": [["B", "pass"]] * 70_000, "maxVisits": 2}),
    "many illegal moves": json.dumps({"id": "a", "moves": [["B", "a1"]] * 70_000}),
    "many stones": json.dumps({"id": "a", "initialStones": [["B", "a1"]] * 70_000, "maxVisits": 2}),
    "many fields": json.dumps({"id": "a", "maxVisits": 2} | {str(number): number for number in range(50_000)}),
    "many settings": json.dumps({"id": "a", "overrideSettings": {str(number): 1 for number in range(50_000)}}),
    "a long name": json.dumps({"id": "a", "x" * 500_000: 1}),
    "a long id": json.dumps({"id": "a" * 500_000, "maxVisits": 2}),
    "a long move": json.dumps({"id": "a", "moves": [["B", "c" * 500_000]]}),
    "half a character": '{"id":"\\ud800","maxVisits":2}',
    "zeros": "\x00\x00",
    "a number": "7",
    "a list": "[1,2]",
    "nothing": "null",
    "half": '{"id":"a","mo',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_line_gets_a_short_answer(line: str | Odd) -> None:
    check([line, line])
    told = answers_of([line])
    assert 1 <= len(told) <= 11
    assert all(len(str(answer)) < 10_000 for answer in told if len(str(answer.get("id"))) < 100)


def test_hundreds_of_mutated_lines() -> None:
    chance = random.Random(1)
    check([mutated(chance) for _ in range(300)])


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_mutated_lines(seed: int) -> None:
    chance = random.Random(1000 + seed)
    check([mutated(chance) for _ in range(1000)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
fields = sorted({name for query in GOOD for name in query} - {"maxVisits", "reportDuringSearchEvery"})
lines = st.text(max_size=60) | st.dictionaries(st.sampled_from(fields), json_values, max_size=6).map(
    lambda query: json.dumps(query | {"maxVisits": 2})
)


@pytest.mark.fuzz
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(lines.filter(lambda line: "\n" not in line), max_size=5))
def test_any_json_and_any_text(texts: list[str]) -> None:
    check(list(texts))


@pytest.mark.slow
def test_the_process_survives_a_line_of_ten_megabytes_and_one_without_end() -> None:
    command = [sys.executable, "-m", "tengen", "engine", "analysis", "go:5", "--player", "uniform@5"]
    text = b'{"id":"' + b"a" * 10_000_000 + b'"}\n\xff\xfe\n{"id":"b"}\n{"id":"half","mo'
    done = subprocess.run(command, input=text, capture_output=True, timeout=60, check=True)
    said = [json.loads(line) for line in done.stdout.splitlines()]  # in any order
    assert len(said) == 4 and ["error" in each for each in said].count(True) == 3
    assert next(each for each in said if "error" not in each)["id"] == "b"
    assert done.stderr == b""
