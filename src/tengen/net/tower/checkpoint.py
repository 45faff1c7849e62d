"""Networks as they are trained: safetensors, whose header also says what they are. Nothing in them is ever executed."""

from dataclasses import dataclass
from pathlib import Path

import safetensors
import safetensors.torch

from tengen.files import write_durably
from tengen.games import Family, Game, GameError
from tengen.net.file import NetworkError, schema_hash
from tengen.net.graph import weight_bytes
from tengen.net.shape import NetworkShape
from tengen.net.tower.model import Network, blank_network

FORMAT = "tengen-network/1"


@dataclass(frozen=True)
class Checkpoint:
    network: Network
    family: Family
    step: int


def save_checkpoint(path: Path, network: Network, game: Game | Family, step: int = 0) -> None:
    """Writes all weights, BatchNorm statistics included, whole or not at all."""
    header = {
        "format": FORMAT,
        "game": game.id,
        "schema": schema_hash(game),
        "step": str(step),
        "size": network.shape.size,
        "counted": str(network.shape.counted),
    }
    weights = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    write_durably(path, safetensors.torch.save(weights, header))


def load_checkpoint(path: Path | str) -> Checkpoint:
    """Reads a network back. Raises NetworkError."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if header.get("format") != FORMAT:
                raise NetworkError(f"{path}: not a checkpoint of tengen (its format is not {FORMAT})")
            game = Family.parse(header["game"])
            if header["schema"] != schema_hash(game):
                raise NetworkError(
                    f"{path}: trained on inputs {header['schema']} of {game.id}, this program gives {schema_hash(game)}"
                )
            shape = NetworkShape.of(game, header["size"], header.get("counted") == "True")
            if weight_bytes(shape) > Path(path).stat().st_size:  # before so much memory is taken
                raise NetworkError(f"{path}: damaged (too short for a network of {shape.size})")
            network = blank_network(shape)
            network.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118 (not a dict)
            return Checkpoint(network, game, int(header["step"]))
    except OSError as error:
        raise NetworkError(f"{path}: {error.strerror or error}") from None
    except GameError:
        raise
    except (safetensors.SafetensorError, KeyError, ValueError, RuntimeError):
        raise NetworkError(f"{path}: not a checkpoint, or a damaged one") from None
