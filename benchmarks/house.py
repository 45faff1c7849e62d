"""The state of the house: how much there is, where a game is named that should not be, which names mean two things.

python benchmarks/house.py                     this tree
python benchmarks/house.py --before 5140b96    this tree beside an earlier commit
python benchmarks/house.py --list              and every place, with its line

Everything is read from the sources, nothing is imported or built, so that any commit can be measured.
"""

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PARTS = ("src/tengen", "cpp", "tests", "web/src")
SUFFIXES = {".py", ".h", ".cpp", ".ts", ".tsx", ".css"}

# Where a game may be named. Elsewhere only examples may: docstrings, comments, --help.
MAY_NAME_GAMES = {
    "cpp/tengen/games/": "the rules",
    "cpp/tengen/erased/": "the list of all games",
    "cpp/tengen/solve/": "exact solvers, each of one game",
    "cpp/bindings/solve.cpp": "exact solvers, each of one game",
    "src/tengen/games/openspiel": "what OpenSpiel says too little about some of its games",
    "src/tengen/exact/solver.py": "an exact solver",
    "src/tengen/play/outside/nboard.py": "a protocol whose files name the one game it is for",
    "src/tengen/engine/nboard.py": "the same protocol: one of its commands is `go`",
    "src/tengen/bench/": "which games are measured, and what rivals call them",
}
# Where these stood before they had rooms, for --before.
FORMERLY = ("cpp/tengen/registry", "src/tengen/solver.py")
EXAMPLES = {"help", "epilog", "examples"}  # arguments that are read by people
WORDS = {"go", "hex"}  # names that are also words: only a whole text counts, such as "go" or "hex:11"

# Names that may mean two things, and why.
MAY_MEAN_TWO = {
    "add": "every verb of the terminal adds its options",
    "run": "every verb of the terminal is run",
    **dict.fromkeys(("as_json", "as_text", "show"), "every verb of the terminal shows its own result"),
    **dict.fromkeys(
        ("Edge", "Probe", "Prover", "Root", "Tree"), "the reference search is the twin of the one in C++, part by part"
    ),
    "serve": "every engine serves its client, as the app serves pages",
    "Leaves": "what an evaluator may ask of the leaves that the core hands to it",
    **dict.fromkeys(
        ("gtp", "gomocup", "nboard"), "a protocol has two ends: ours as an engine, and whom other engines meet"
    ),
}
# Modules here are named as verbs of the terminal, `tengen train` or `tengen bench search`, whatever else has the name.
NAMED_AS_THE_VERB = ("cli/", "bench/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="COMMIT", help="an earlier commit to stand beside")
    parser.add_argument(
        "--list", action="store_true", help="every place that names a game, every name with two meanings"
    )
    args = parser.parse_args()
    trees = {"now": REPOSITORY}
    with tempfile.TemporaryDirectory() as folder:
        if args.before:
            archive = subprocess.run(["git", "archive", args.before], cwd=REPOSITORY, check=True, capture_output=True)
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
                files.extractall(folder, filter="data")
            trees = {args.before: Path(folder), **trees}
        counts = {name: count(tree) for name, tree in trees.items()}
        print(" " * 34 + "".join(f"{name:>12}" for name in counts))
        for row in dict.fromkeys(row for each in counts.values() for row in each):
            print(f"{row:34}" + "".join(f"{each.get(row, 0):>12}" for each in counts.values()))
        if args.list:
            for name, tree in trees.items():
                print(f"\n{name}: places that name a game", *places_that_name_a_game(tree), sep="\n  ")
                print(f"\n{name}: names with two meanings", *described(names_with_two_meanings(tree)), sep="\n  ")
    print("\na name may mean two things:", *(f"{name}: {why}" for name, why in MAY_MEAN_TWO.items()), sep="\n  ")
    print("\na game may be named in:", *(f"{place}: {why}" for place, why in MAY_NAME_GAMES.items()), sep="\n  ")


def count(tree: Path) -> dict[str, int]:
    """Everything that is counted, by what it is called."""
    rows: dict[str, int] = {}
    for part in PARTS:
        texts = [file.read_text("utf-8") for file in sources(tree, part)]
        rows |= {f"files in {part}": len(texts), f"lines in {part}": sum(text.count("\n") for text in texts)}
    package = tree / "src" / "tengen"
    rows["modules in src/tengen"] = len([file for file in package.glob("*.py") if not file.stem.startswith("__")])
    rows["folders in src/tengen"] = len([each for each in package.iterdir() if each.is_dir() and each.name[:2] != "__"])
    options = options_by_section(tree)
    rows |= {f"options of {section}": number for section, number in options.items()}
    rows["options"] = options.total()
    rows["places that name a game"] = len(places_that_name_a_game(tree))
    rows["names with two meanings"] = len(names_with_two_meanings(tree))
    return rows


def sources(tree: Path, part: str) -> list[Path]:
    built = tree / "src/tengen/app/static"  # the page, made from web/src
    return sorted(file for file in (tree / part).rglob("*") if file.suffix in SUFFIXES and built not in file.parents)


def options_by_section(tree: Path) -> Counter[str]:
    """From the table in the docs, which a test compares with the code."""
    found: Counter[str] = Counter()
    for page in sorted((tree / "docs").rglob("*.md")):
        for table in re.finditer(r"^\| (\w+)\. \| default \| \|\n\|.*\n((?:\| `.*\n)*)", page.read_text("utf-8"), re.M):
            found[table[1]] += table[2].count("\n")
    return found


def game_names(tree: Path) -> set[str]:
    """Names and titles of all games, from their own tables."""
    tables = "".join(file.read_text("utf-8") for file in (tree / "cpp/tengen/games").glob("*.h"))
    found = re.findall(r'GameSpec spec\{\s*"([^"]+)",\s*"([^"]+)"', tables)
    return {name for both in found for name in both}


def places_that_name_a_game(tree: Path) -> list[str]:
    """`file:line: text` for every game that general code names."""
    names = game_names(tree)
    clear = re.compile("|".join(sorted(re.escape(name) for name in names if name.lower() not in WORDS)), re.I)
    words = {name for name in names if name.lower() in WORDS}
    whole = re.compile(rf"({'|'.join(sorted(words))})(:\d+)?(,.*)?")
    titles = re.compile(rf"\b({'|'.join(sorted(name for name in words if name.istitle()))})\b")

    def names_one(text: str, code: bool) -> bool:
        return bool(clear.search(text) or (titles.search(text) if code else whole.fullmatch(text)))

    found = []
    for file in [*sources(tree, "src/tengen"), *sources(tree, "cpp/tengen"), *sources(tree, "cpp/bindings")]:
        place = file.relative_to(tree).as_posix()
        if not place.startswith((*MAY_NAME_GAMES, *FORMERLY)):
            texts = (python_texts if file.suffix == ".py" else cpp_texts)(file.read_text("utf-8"))
            found += [f"{place}:{line}: {text[:60]!r}" for line, text, code in sorted(texts) if names_one(text, code)]
    return found


def python_texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and text of every string (False) and identifier (True), but for docstrings and examples."""
    module = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(module):
        is_example = isinstance(node, ast.keyword) and node.arg in EXAMPLES
        is_example |= isinstance(node, ast.Assign) and any(ast.unparse(each) == "EXAMPLE" for each in node.targets)
        if is_example or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            skipped |= set(ast.walk(node))
    for node in ast.walk(module):
        if node in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, False
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id, True
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr, True
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias):
            yield node.lineno, node.name, True


def cpp_texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """The same for C++: every string, and the rest of every line, without comments."""
    token = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])'|"((?:\\.|[^"\\\n])*)\"""", re.S)
    for found in token.finditer(source):
        if found[1] is not None:
            yield source.count("\n", 0, found.start()) + 1, found[1], False
    rest = token.sub(lambda found: "\n" * found[0].count("\n"), source)
    yield from ((number, line.strip(), True) for number, line in enumerate(rest.splitlines(), 1))


def names_with_two_meanings(tree: Path) -> dict[str, list[str]]:
    """Public names that several modules define or bear, and where. A module may be named as what it defines."""
    package, places = tree / "src" / "tengen", defaultdict[str, set[str]](set)
    for file in [package / "_core.pyi", *sources(tree, "src/tengen")]:
        if file.suffix not in (".py", ".pyi"):  # the style of a page
            continue
        place = file.relative_to(package).as_posix()
        if not place.startswith(NAMED_AS_THE_VERB):
            places[file.parent.name if file.stem == "__init__" else file.stem].add(place)
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                places[node.name].add(place)
    for file in sources(tree, "cpp/tengen"):
        for name in re.findall(r"^(?:class|struct|enum class) (\w+)[^;()]*?\{", file.read_text("utf-8"), re.M):
            if "_core.pyi" not in places[name]:  # a class that Python sees too is one thing
                places[name].add(file.relative_to(tree).as_posix())
    return {
        name: sorted(where)
        for name, where in sorted(places.items())
        if len(where) > 1 and not name.startswith("_") and name not in MAY_MEAN_TWO
    }


def described(names: dict[str, list[str]]) -> list[str]:
    return [f"{name}: {', '.join(where)}" for name, where in names.items()]


if __name__ == "__main__":
    main()
