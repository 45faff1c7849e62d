"""The learner: it learns, it can be put aside and taken up again, and its guard does its sums."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from support.recorded import some_records
from tengen import _core, games
from tengen.net.file import NetworkError
from tengen.net.shape import NetworkShape
from tengen.records.replay import Minibatch, Replay, ReplayConfig
from tengen.train.learner import Learner, LearnerConfig, explained_variance, guarded
from tengen.train.muon import orthogonal

GAME = games.make("connect4")
SHAPE = NetworkShape.of(GAME, "8x2")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Torch's threads wait for each other by spinning: on a busy machine tiny steps take seconds."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def draw() -> Callable[[], Minibatch]:
    replay = Replay(GAME, ReplayConfig(samples_per_position=1e6), seed=1)
    replay.add(some_records("connect4"))
    return lambda: replay.batch(32)


def test_a_network_of_a_counted_game_learns_lead_and_owners() -> None:
    game = games.make("go:5")
    replay = Replay(game, ReplayConfig(samples_per_position=1e6), seed=1)
    replay.add(some_records("go:5"))
    batch, one = replay.batch(32), Learner(NetworkShape.of(game, "8x2"), LearnerConfig(warmup=0, rate=5e-3), seed=3)
    metrics = [one.learn(batch) for _ in range(120)]
    for name in ("lead_loss", "owners_loss"):
        assert metrics[-1][name] < 0.5 * metrics[0][name], name
    uncounted = Minibatch(**vars(batch) | {"count_weight": 0 * batch.count_weight})
    assert one.learn(uncounted)["owners_loss"] == 0
    assert batch.lead is not None and batch.owners is not None
    _, _, _, lead, owners = one.network.eval().answer(torch.from_numpy(batch.planes))
    assert np.mean(np.abs(lead.detach().numpy() - batch.lead)) < 4
    assert np.mean(np.sign(owners.detach().numpy())[batch.owners != 0] == batch.owners[batch.owners != 0]) > 0.9


def test_a_run_from_before_the_count_learns_it_from_now_on(tmp_path: Path) -> None:
    game = games.make("go:5")
    old = Learner(NetworkShape.of(game, "8x2", counted=False), LearnerConfig(), seed=3)
    old.save(tmp_path / "state", {})
    new = Learner(NetworkShape.of(game, "8x2"), LearnerConfig(), seed=4)
    new.load(tmp_path / "state")
    for name, value in old.network.state_dict().items():
        assert torch.equal(new.network.state_dict()[name], value), name


def learner(**changes: float) -> Learner:
    return Learner(SHAPE, LearnerConfig(**{"warmup": 0, "rate": 5e-3} | changes), seed=3)  # type: ignore[arg-type]


def weights(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in learner.released.state_dict().items()}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_every_loss_falls_on_a_fixed_batch(draw: Callable[[], Minibatch]) -> None:
    one, batch = learner(), draw()
    metrics = [one.learn(batch) for _ in range(120)]
    first, last = metrics[0], metrics[-1]
    # The policy's own entropy is a floor that its loss cannot fall below.
    floor = -float((batch.policy * np.log(np.maximum(batch.policy, 1e-9))).sum(1).mean())
    assert last["policy_loss"] - floor < 0.3 * (first["policy_loss"] - floor)
    for name in ("value_loss", "moves_left_loss"):
        assert last[name] < 0.5 * first[name], name
    assert last["loss"] == pytest.approx(sum(last[name] for name in last if name.endswith("_loss")), abs=1e-4)
    assert last["explained_variance"] > 0.8 > first["explained_variance"]
    assert one.step == 120


def test_with_matrix_tiles_layers_compute_in_bfloat16(
    draw: Callable[[], Minibatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly the same losses, which fall as well; weights and their average keep all their bits."""
    batch = draw()
    monkeypatch.setattr(_core, "matrix_tiles", lambda: "none")  # this processor may have them
    plain = learner()
    monkeypatch.setattr(_core, "matrix_tiles", lambda: "usable")
    fast = learner()
    exact, rough = plain.learn(batch), fast.learn(batch)
    assert rough["loss"] != exact["loss"] and rough["loss"] == pytest.approx(exact["loss"], rel=0.02)
    for _ in range(60):
        last = fast.learn(batch)
    assert last["value_loss"] < 0.5 * rough["value_loss"]
    assert {value.dtype for value in weights(fast).values()} == {torch.float32, torch.int64}


def test_samples_without_a_target_teach_nothing(draw: Callable[[], Minibatch]) -> None:
    """Where a weight is 0, the target may be anything."""
    batch = draw()
    blank = Minibatch(**vars(batch) | {"moves_left_weight": 0 * batch.moves_left_weight})
    twisted = Minibatch(**vars(blank) | {"moves_left": blank.moves_left + 3})
    after = []
    for each in (blank, twisted, batch):
        one = learner()
        metrics = one.learn(each)
        after.append(weights(one))
        if each is not batch:
            assert metrics["moves_left_loss"] == 0
    assert same(after[0], after[1]) and not same(after[0], after[2])


def test_few_samples_with_a_target_are_not_louder_than_many(draw: Callable[[], Minibatch]) -> None:
    """Games that were resigned have no end to learn from; those of the others must not make up for that."""
    batch = draw()
    few = np.zeros_like(batch.moves_left_weight)
    few[3] = 1
    metrics = learner().learn(Minibatch(**vars(batch) | {"moves_left_weight": few}))
    assert metrics["moves_left_loss"] > 0
    told = metrics["value_loss"] + metrics["policy_loss"] + metrics["moves_left_loss"] / len(batch)
    assert metrics["loss"] == pytest.approx(told, rel=1e-4)


def test_saved_and_loaded_it_goes_on_bit_by_bit(draw: Callable[[], Minibatch], tmp_path: Path) -> None:
    one, batches = learner(kl_target=0.02), [draw() for _ in range(8)]
    for batch in batches[:4]:
        one.learn(batch)
    one.multiplier = 1.5
    one.save(tmp_path / "state", {"minutes": 2.5})
    other = learner(kl_target=0.02)
    facts = {"minutes": 2.5, "step": 4, "first_step": 0, "multiplier": 1.5, "size": "8x2", "counted": False}
    assert other.load(tmp_path / "state") == facts
    assert (other.step, other.multiplier) == (4, 1.5) and same(weights(one), weights(other))
    for batch in batches[4:]:
        assert one.learn(batch) == other.learn(batch)
    assert same(weights(one), weights(other))


@pytest.mark.parametrize("size", ["8x3", "12x2", "20x5"])
def test_a_network_that_grew_says_what_it_said_and_learns_with_all_it_has(
    draw: Callable[[], Minibatch], tmp_path: Path, size: str
) -> None:
    config = LearnerConfig(warmup=4)
    small = Learner(SHAPE, config, seed=1)
    for _ in range(5):
        small.learn(draw())
    small.save(tmp_path / "state", {})
    large = Learner(NetworkShape.of(GAME, size), config, seed=2)
    large.load(tmp_path / "state")
    assert large.step == 5 and large.rate(0) == pytest.approx(config.rate / 4), "its optimizers warm up"
    planes = torch.from_numpy(draw().planes)
    for before, after in ((small.released, large.released), (small.network.eval(), large.network.eval())):
        for old, new in zip(before.answer(planes), after.answer(planes), strict=True):
            torch.testing.assert_close(new, old, atol=1e-5, rtol=1e-5)
    start = {name: value.clone() for name, value in large.network.named_parameters()}
    for _ in range(3):
        large.learn(draw())
    for name, value in large.network.named_parameters():
        if name.startswith("tower.") and value.ndim > 1:  # old channels look at new ones now, and new blocks take part
            assert (value != start[name]).float().mean() > 0.9, name
    large.save(tmp_path / "state", {})
    later = Learner(NetworkShape.of(GAME, size), config, seed=3)
    later.load(tmp_path / "state")
    assert same(weights(later), weights(large)) and later.rate(0) == large.rate(0)
    with pytest.raises(NetworkError, match="can only grow"):
        small.load(tmp_path / "state")


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    one = learner()
    one.network.register_buffer("more", torch.zeros(1))  # a head that this program does not know
    one.save(tmp_path / "state", {})
    with pytest.raises(NetworkError, match="damaged, or of another kind"):
        learner().load(tmp_path / "state")
    with pytest.raises(NetworkError, match="No such file"):
        learner().load(tmp_path / "nothing")


def test_muon_keeps_directions_and_makes_them_equally_loud() -> None:
    torch.manual_seed(0)
    loud = torch.linspace(0.2, 1, 8) ** 2  # singular values from 0.04 to 1
    left, _ = torch.linalg.qr(torch.randn(3, 8, 8))
    right, _ = torch.linalg.qr(torch.randn(3, 20, 8))
    for matrices in (left * loud @ right.mT, right * loud @ left.mT):
        moves = orthogonal(matrices)
        assert moves.shape == matrices.shape
        values = torch.linalg.svdvals(moves)
        assert values.min() > 0.6 and values.max() < 1.3
        there = torch.linalg.svd(matrices, full_matrices=False)
        inside = there.U.mT @ moves @ there.Vh.mT  # diagonal when every direction is kept
        torch.testing.assert_close(inside, torch.diag_embed(inside.diagonal(0, 1, 2)), atol=1e-4, rtol=0)


def test_kernels_between_hidden_layers_are_muons_and_all_others_adamws() -> None:
    one = learner(muon_rate=5e-3)
    names = {id(weight): name for name, weight in one.network.named_parameters()}
    adamw, muon = ([names[id(p)] for g in o.param_groups for p in g["params"]] for o in one._optimizers)
    assert sorted(adamw + muon) == sorted(names.values())
    assert "tower.0.first.conv.weight" in muon and "policy.hidden.conv.weight" in muon
    assert "stem.conv.weight" in adamw and "value.wdl.weight" in adamw and "tower.0.first.norm.weight" in adamw
    assert len(learner(muon_rate=0)._optimizers) == 1


def test_what_is_released_is_a_running_average(draw: Callable[[], Minibatch]) -> None:
    still, moving = learner(ema=0.999), learner(ema=0.0)
    before = weights(still)
    for _ in range(5):
        batch = draw()
        still.learn(batch)
        moving.learn(batch)
    name = "stem.conv.weight"
    newest = dict(moving.network.named_parameters())[name]
    assert torch.equal(weights(moving)[name], newest)
    assert not torch.equal(weights(still)[name], before[name])
    moved = [float((weights(one)[name] - before[name]).norm()) for one in (still, moving)]
    assert moved[0] < moved[1]


def test_a_young_average_keeps_up(draw: Callable[[], Minibatch]) -> None:
    """After 40 steps an average of a thousand would still be the network that knew nothing."""
    one = learner(ema=0.999)
    name = "value.wdl.weight"
    first = weights(one)[name]
    for _ in range(40):
        one.learn(draw())
    now = one.network.state_dict()[name]
    assert (now - weights(one)[name]).norm() < 0.5 * (now - first).norm()


def test_the_learning_rate_warms_up_stays_and_falls() -> None:
    one = learner(rate=1.0, warmup=10)
    assert one.rate(0.0) == pytest.approx(0.1)
    one.step = 100
    assert one.rate(0.0) == one.rate(0.6) == 1
    assert one.rate(0.8) == pytest.approx(0.525)
    assert one.rate(1.0) == pytest.approx(0.05)
    one.multiplier = 2.0
    assert one.rate(1.0) == pytest.approx(0.1)


def test_the_guard_turns_the_rate_as_the_spec_says() -> None:
    """KL target 0.02: 0.05 → ÷1.5, 0.009 → ×1.5, in between nothing; the multiplier stays within 0.1 and 10."""
    assert guarded(1, 0.05, 0.02) == pytest.approx(1 / 1.5)
    assert guarded(1, 0.009, 0.02) == pytest.approx(1.5)
    assert [guarded(1, change, 0.02) for change in (0.01, 0.02, 0.04)] == [1, 1, 1]
    assert guarded(0.1, 0.05, 0.02) == 0.1 and guarded(10, 0.001, 0.02) == 10
    assert guarded(1, 5.0, 0) == 1


@pytest.mark.parametrize(("change", "stops"), [(0.079, False), (0.081, True)])
def test_the_guard_ends_an_epoch_above_four_times_its_aim(
    change: float, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = learner(kl_target=0.02)
    monkeypatch.setattr(one, "change", lambda: change)
    assert one.too_far() is stops
    unguarded = learner()
    monkeypatch.setattr(unguarded, "change", lambda: 100.0)
    assert not unguarded.too_far()


def test_the_change_of_the_policy_is_measured(draw: Callable[[], Minibatch]) -> None:
    one, batch = learner(kl_target=0.02, ema=0.0), draw()
    assert one.change() == 0 and one.end_epoch() == 0 and one.multiplier == 1  # nothing to compare with yet
    one.begin_epoch(batch)
    assert one.change() == 0
    for _ in range(20):
        one.learn(batch)
    change = one.change()
    assert change > 0.04 and one.end_epoch() == change and one.multiplier == pytest.approx(1 / 1.5)


def test_explained_variance_is_defined_when_all_results_are_equal() -> None:
    won, lost, even = [1.0, 0, 0], [0, 0, 1.0], [0.4, 0.2, 0.4]
    equal = torch.tensor([won, won, won])
    assert explained_variance(equal, torch.tensor([even, won, lost])) == 0
    mixed = torch.tensor([won, lost, won, lost])
    assert explained_variance(mixed, mixed) == pytest.approx(1)
    assert explained_variance(mixed, torch.tensor([even] * 4)) == pytest.approx(0)
    assert explained_variance(mixed, mixed.flip(0)) == pytest.approx(-3)


@pytest.mark.parametrize("wrong", [{"batch": 0}, {"rate": 0}, {"ema": 1}, {"warmup": -1}, {"kl_target": -1}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LearnerConfig(**wrong)  # type: ignore[arg-type]
