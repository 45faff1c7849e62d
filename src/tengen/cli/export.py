"""`tengen export`: from a run or a checkpoint of training to the file that plays."""

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli import UsageError, Verbs, add_verb

if TYPE_CHECKING:
    from tengen.net.tower.checkpoint import Checkpoint
    from tengen.run.folder import RunDirectory

EXAMPLE = """example: tengen export runs/connect4                        writes runs/connect4.onnx
         tengen export runs/connect4/state.safetensors       writes runs/connect4/state.onnx
         tengen export net.safetensors --to onnx-int8 --out small.onnx

The file holds the game, the inputs' schema, the network's hash, the training step and the program's version. Nothing is
written when its answers differ from the checkpoint's."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "export", "write a trained network as a file that plays", EXAMPLE, run)
    parser.add_argument("net", metavar="NET", type=Path, help="the folder of a run, or a checkpoint (.safetensors)")
    parser.add_argument("--to", choices=["onnx", "onnx-int8"], default="onnx", help="format (default %(default)s)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="where to (default: beside NET, ending in .onnx)")


def run(args: argparse.Namespace) -> int:
    if missing := [module for module in ("torch", "safetensors", "onnxruntime") if not find_spec(module)]:
        raise UsageError(f"export needs {', '.join(missing)}; pip install 'tengen[train]'")
    from tengen.net.tower.export import CALIBRATION, export_onnx, sample_planes

    checkpoint = read_network(args.net)
    beside = args.net.resolve() if args.net.is_dir() else args.net.with_suffix("")
    out: Path = args.out or beside.with_name(f"{beside.name}.onnx")
    sampled = checkpoint.family.games if args.to == "onnx-int8" else ()
    calibration = [sample_planes(game, CALIBRATION) for game in sampled] or None
    try:
        file = export_onnx(checkpoint.network, out, checkpoint.family, checkpoint.step, calibration)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from None
    about = {"file": str(out), "game": file.game, "size": file.size, "precision": file.precision, "step": file.step}
    about |= {"bytes": len(file.data), "network_hash": file.hash}
    print(json.dumps(about) if args.json else "\n".join(f"{key:13} {value}" for key, value in about.items()))
    return 0


def read_network(path: Path) -> "Checkpoint":
    """What plays, of a run or of a checkpoint. Raises NetworkError."""
    from tengen.net.tower.checkpoint import load_checkpoint
    from tengen.run.folder import RunDirectory, RunError

    directory = RunDirectory(path if path.is_dir() else path.parent)
    if not path.is_dir() and not (path == directory.state and directory.exists()):
        return load_checkpoint(path)
    try:
        return read_learner(directory)
    except RunError as error:
        raise UsageError(str(error)) from None


def read_learner(directory: "RunDirectory") -> "Checkpoint":
    """The network that a run's learner would release now. Its state says no game: run.toml, beside it, does."""
    from tengen.games import Family
    from tengen.net.shape import NetworkShape
    from tengen.net.tower.checkpoint import Checkpoint
    from tengen.train.learner import Learner

    config = directory.config()
    if not directory.state.exists():
        raise UsageError(f"{directory.path} has learned nothing yet: there is no {directory.state.name}")
    family = Family.parse(config.game)
    learner = Learner(NetworkShape.of(family, config.loop.size), config.learner, seed=config.loop.seed, device="cpu")
    learner.load(directory.state)
    return Checkpoint(learner.released, family, learner.step)
