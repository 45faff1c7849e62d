"""`tengen export`: from a checkpoint of training to the file that plays."""

import argparse
import json
from importlib.util import find_spec
from pathlib import Path

from tengen.cli import UsageError, Verbs, add_verb

EXAMPLE = """example: tengen export current.safetensors                  writes current.onnx
         tengen export current.safetensors --to onnx-int8 --out small.onnx

The file holds the game, the inputs' schema, the network's hash, the training step and the program's version. Nothing is
written when its answers differ from the checkpoint's."""


def add(verbs: Verbs) -> None:
    parser = add_verb(verbs, "export", "write a trained network as a file that plays", EXAMPLE, run)
    parser.add_argument("net", metavar="NET", type=Path, help="a checkpoint (.safetensors)")
    parser.add_argument("--to", choices=["onnx", "onnx-int8"], default="onnx", help="format (default %(default)s)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="where to (default: beside NET, ending in .onnx)")


def run(args: argparse.Namespace) -> int:
    if missing := [module for module in ("torch", "safetensors", "onnxruntime") if not find_spec(module)]:
        raise UsageError(f"export needs {', '.join(missing)}; pip install 'tengen[train]'")
    from tengen.net.tower.checkpoint import load_checkpoint
    from tengen.net.tower.export import CALIBRATION, export_onnx, sample_planes

    checkpoint = load_checkpoint(args.net)
    out: Path = args.out or args.net.with_suffix(".onnx")
    calibration = sample_planes(checkpoint.game, CALIBRATION) if args.to == "onnx-int8" else None
    try:
        file = export_onnx(checkpoint.network, out, checkpoint.game, checkpoint.step, calibration)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from None
    about = {"file": str(out), "game": file.game, "size": file.size, "precision": file.precision, "step": file.step}
    about |= {"bytes": len(file.data), "network_hash": file.hash}
    print(json.dumps(about) if args.json else "\n".join(f"{key:13} {value}" for key, value in about.items()))
    return 0
