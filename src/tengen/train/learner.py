"""The learner: batches in, a better network out. What it releases is a running average of its weights."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tengen import _core
from tengen.files import write_durably
from tengen.net.file import NetworkError
from tengen.net.shape import NetworkShape
from tengen.net.tower.grow import grow
from tengen.net.tower.model import Network, TowerOutput, make_network, two_hot
from tengen.records.replay import Minibatch
from tengen.run.settings import LearnerConfig
from tengen.train.muon import Muon

__all__ = ["Learner", "LearnerConfig", "explained_variance"]

# The learning rate is full for this share of the run, then falls along a cosine to this share of it.
STEADY, FINAL_RATE = 0.6, 0.05
WEIGHT_DECAY = 1e-4  # share of the weights taken off by each step, times the learning rate
CLIP = 5.0  # largest norm of the gradient
MOVES_LEFT_WEIGHT = 0.2  # of its loss; policy and value have 1
LEAD_WEIGHT, OWNERS_WEIGHT = 0.3, 0.5  # the lead is counted in sides of the board, owners are a mean over its cells


class Learner:
    """Holds the weights, their average and the optimizer; all of it goes into one file and comes back from it."""

    def __init__(self, shape: NetworkShape, config: LearnerConfig, *, seed: int = 0, device: str = "cpu") -> None:
        self.config, self.device = config, torch.device(device)
        self._tiles = self.device.type == "cpu" and _core.matrix_tiles() == "usable"
        self.network = make_network(shape, seed=seed)
        # Channels last: convolutions on CPUs learn a third faster (48x4, batch 512).
        self.network.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._average = AveragedModel(self.network, multi_avg_fn=self._average_in, use_buffers=True)
        self._optimizers = self._make_optimizers()
        self.step = 0
        self._first_step = 0  # above 0 in a network that has grown, or gone back
        self.multiplier = 1.0  # of the learning rate, by the KL guard
        self._probe: tuple[Tensor, Tensor, Tensor] | None = None  # planes, legal moves and policy before the epoch

    def _make_optimizers(self) -> list[torch.optim.Optimizer]:
        """Muon for the kernels between hidden layers, AdamW for stem, outputs, biases and BatchNorm; the latter two are
        not decayed: they have no scale to keep down. `ratio`: a group's learning rate in units of AdamW's."""
        config, named = self.config, dict(self.network.named_parameters())
        hidden = [
            name
            for name, weight in named.items()
            if config.muon_rate > 0 and weight.ndim == 4 and (name.startswith("tower.") or ".hidden." in name)
        ]
        rest = [weight for name, weight in named.items() if name not in hidden]
        groups = [
            {"params": [p for p in rest if p.ndim > 1], "weight_decay": WEIGHT_DECAY},
            {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
        ]
        optimizers: list[torch.optim.Optimizer] = [torch.optim.AdamW(groups, lr=config.rate, fused=True)]
        if hidden:
            optimizers.append(Muon([named[name] for name in hidden], lr=config.muon_rate))
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["ratio"] = group["lr"] / config.rate
        return optimizers

    def _average_in(self, averages: Any, weights: Any, count: Any) -> None:
        """A young average keeps less of the old weights: else the first minutes play with what was long outgrown."""
        keep = min(self.config.ema, (1 + int(count)) / (10 + int(count)))
        get_ema_multi_avg_fn(keep)(averages, weights, count)  # type: ignore[no-untyped-call]

    @property
    def released(self) -> Network:
        """The average, in evaluation mode: what should play."""
        network = self._average.module
        assert isinstance(network, Network)
        return network.eval()

    def rate(self, progress: float) -> float:
        """The learning rate at a share of the run (0 … 1)."""
        config = self.config
        fallen = max(0.0, progress - STEADY) / (1 - STEADY)
        scale = FINAL_RATE + (1 - FINAL_RATE) * (1 + math.cos(math.pi * min(1.0, fallen))) / 2
        warm = min(1.0, (self.step - self._first_step + 1) / max(1, config.warmup))
        return config.rate * scale * warm * self.multiplier

    def learn(self, batch: Minibatch, progress: float = 0.0) -> dict[str, float]:
        """One step. Returns what is worth plotting."""
        rate = self.rate(progress)
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * group["ratio"]
        planes, legal = self._tensor(batch.planes), self._tensor(batch.legal).bool()
        out = self._answer(planes)
        log_policy = F.log_softmax(out.policy.masked_fill(~legal, -1e9), dim=1)
        losses = self._losses(out, log_policy, batch)
        total = sum((loss for loss, _ in losses.values()), torch.zeros((), device=self.device))
        self.network.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        for optimizer in self._optimizers:
            optimizer.step()
        self._average.update_parameters(self.network)
        self.step += 1
        with torch.no_grad():
            entropy = -(log_policy.exp() * log_policy).sum(1).mean()
            value = out.wdl.softmax(1)
            variance = explained_variance(self._tensor(batch.wdl), value)
        metrics = {f"{name}_loss": loss.item() / max(share, 1e-9) for name, (loss, share) in losses.items()}
        return metrics | {
            "loss": total.item(),
            "entropy": float(entropy),
            "explained_variance": variance,
            "gradient_norm": float(norm),
            "rate": rate,
        }

    def _answer(self, planes: Tensor) -> TowerOutput:
        """The network's logits in float32. With matrix tiles the layers compute in bfloat16, which takes half of the
        time (64x5, batch 128: 63 ms instead of 117); weights, averages and losses keep all their bits."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._tiles):
            out: TowerOutput = self.network.train()(planes)
        return out.float()

    def _losses(self, out: Any, log_policy: Tensor, batch: Minibatch) -> dict[str, tuple[Tensor, float]]:
        """Cross-entropies, each weighted, and the share of samples that have a target of that kind; the others count
        nothing there. All are means over the whole batch: where few samples have a target, those few do not count for
        more. (Muon's steps are all of one size, so their noise would leave little of them to the values.)"""
        policy = -(self._tensor(batch.policy) * log_policy).sum(1)
        wdl = -(self._tensor(batch.wdl) * F.log_softmax(out.wdl, 1)).sum(1)
        bins, left = self.network.bins, self._tensor(batch.moves_left_weight)
        plies = -(two_hot(self._tensor(batch.moves_left), bins) * F.log_softmax(out.plies, 1)).sum(1)
        losses = {
            "policy": (policy.mean(), 1.0),
            "value": (wdl.mean(), 1.0),
            "moves_left": (MOVES_LEFT_WEIGHT * (plies * left).mean(), float(left.mean())),
        }
        if out.lead is None or batch.lead is None or batch.owners is None:
            return losses
        counted = self._tensor(batch.count_weight)
        lead = F.smooth_l1_loss(out.lead, self._tensor(batch.lead) / batch.planes.shape[2], reduction="none")
        own = (1 + self._tensor(batch.owners).float()) / 2  # tanh x is a probability's logit of 2x
        owners = F.binary_cross_entropy_with_logits(2 * out.owners, own, reduction="none").mean(1)
        share = float(counted.mean())
        return losses | {
            "lead": (LEAD_WEIGHT * (lead * counted).mean(), share),
            "owners": (OWNERS_WEIGHT * (owners * counted).mean(), share),
        }

    def begin_epoch(self, batch: Minibatch) -> None:
        """Remembers what the released network says about a batch: `change` compares with it."""
        planes, legal = self._tensor(batch.planes), self._tensor(batch.legal).bool()
        self._probe = (planes, legal, self._log_policy(planes, legal))

    def change(self) -> float:
        """KL(old, new) of the released policy since `begin_epoch`; 0 before the first."""
        if self._probe is None:
            return 0.0
        planes, legal, old = self._probe
        return float((old.exp() * (old - self._log_policy(planes, legal))).sum(1).mean())

    def too_far(self) -> bool:
        """The KL guard: an epoch should end when the policy moved four times as far as it aims for."""
        return self.config.kl_target > 0 and self.change() > 4 * self.config.kl_target

    def end_epoch(self) -> float:
        """Returns the change, and lets the KL guard turn the learning rate up or down."""
        change = self.change()
        if self._probe is not None:
            self.multiplier = guarded(self.multiplier, change, self.config.kl_target)
        return change

    def _log_policy(self, planes: Tensor, legal: Tensor) -> Tensor:
        with torch.inference_mode():
            return F.log_softmax(self.released(planes).policy.masked_fill(~legal, -1e9), dim=1)

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def begin_with(self, start: Network) -> None:
        """Says from now on what another network of the same size, or a smaller one, says; warms up again. Raises
        NetworkError."""
        self._first_step = self.step
        for network in (self.network, self.released):
            grow(network, start.shape.size, start.state_dict())

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Everything needed to go on, and some facts about the run, whole or not at all."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        tensors |= {f"average.{name}": value for name, value in self._average.state_dict().items()}
        for kind, optimizer in enumerate(self._optimizers):
            for number, moments in optimizer.state_dict()["state"].items():
                tensors |= {f"optimizer.{kind}.{number}.{name}": value for name, value in moments.items()}
        own = {"step": self.step, "first_step": self._first_step, "multiplier": self.multiplier}
        about = about | own | {"size": self.network.shape.size, "counted": self.network.shape.counted}
        plain = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
        write_durably(path, safetensors.torch.save(plain, {"tengen": json.dumps(about)}))

    def load(self, path: Path) -> dict[str, Any]:
        """Goes on from a file and returns the facts saved with it. A network larger than the one in the file says what
        that one said; its optimizers begin anew. Raises NetworkError."""
        size = self.network.shape.size
        try:
            with safetensors.safe_open(path, framework="pt") as file:
                about: dict[str, Any] = json.loads(file.metadata()["tengen"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            self.step, self.multiplier = int(about["step"]), float(about["multiplier"])
            if about.get("size", size) != size or about.get("counted", False) != self.network.shape.counted:
                grow(self.network, about["size"], _part(tensors, "network."))
                grow(self.released, about["size"], _part(tensors, "average.module."))
                self._average.n_averaged.copy_(tensors["average.n_averaged"])
                self._first_step = self.step
                return about
            self.network.load_state_dict(_part(tensors, "network."))
            self._average.load_state_dict(_part(tensors, "average."))
            for kind, optimizer in enumerate(self._optimizers):
                _load_moments(optimizer, _part(tensors, f"optimizer.{kind}."))
            self._first_step = int(about.get("first_step", 0))
            return about
        except NetworkError:
            raise
        except OSError as error:
            raise NetworkError(f"{path}: {error.strerror or error}") from None
        except (safetensors.SafetensorError, LookupError, TypeError, ValueError, RuntimeError):
            raise NetworkError(f"{path}: damaged, or of another kind of network") from None


def guarded(multiplier: float, change: float, target: float) -> float:
    """The KL guard's new multiplier of the learning rate.

    >>> guarded(1.5, 0.05, 0.02), guarded(1.0, 0.009, 0.02), guarded(1.0, 0.02, 0.02), guarded(1.0, 0.05, 0)
    (1.0, 1.5, 1.0, 1.0)
    """
    if target > 0 and change > 2 * target:
        multiplier /= 1.5
    elif target > 0 and change < target / 2:
        multiplier *= 1.5
    return min(10.0, max(0.1, multiplier))


def explained_variance(target: Tensor, answer: Tensor) -> float:
    """1 − Var(target − answer) ÷ Var(target) of the values W − L; 0 when all targets are equal."""
    values, guesses = target[:, 0] - target[:, 2], answer[:, 0] - answer[:, 2]
    spread = values.var(unbiased=False)
    return float(1 - (values - guesses).var(unbiased=False) / spread) if spread > 1e-12 else 0.0


def _part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def _load_moments(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    moments: dict[int, dict[str, Tensor]] = {}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for name, value in tensors.items():
        number, _, key = name.partition(".")
        # The fused optimizer goes through memory as it lies: moments must lie there as their weights do.
        like = parameters[int(number)] if value.ndim else value
        moments.setdefault(int(number), {})[key] = torch.empty_like(like).copy_(value)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
