"""The evaluators that need no network, and the queue that merges requests of many threads."""

import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tengen import games
from tengen.net.evaluator import Batch, Evaluation, Evaluator, Hash, Leaves, QueueEvaluator, Uniform

GAME = games.make("connect4")
FOREVER = 1e6  # a max_wait that no test lives to see


def leaves(*keys: int) -> Batch:
    return Batch(np.zeros((len(keys), *GAME.planes_shape), np.float32), np.array(keys, np.uint64))


def same(a: Evaluation, b: Evaluation) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a[:3], b[:3], strict=True))


class Recorder:
    """Passes requests on and remembers the size of each batch."""

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner
        self.sizes: list[int] = []

    def __call__(self, asked: Leaves, /) -> Evaluation:
        self.sizes.append(len(asked))
        assert asked.planes.shape == (len(asked), *GAME.planes_shape)
        return self.inner(asked)


def in_threads(*tasks: Callable[[], None]) -> None:
    """Runs tasks side by side; what one of them raises is raised here, and none may hang."""
    errors: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "a caller was left waiting"
    if errors:
        raise errors[0]


def asking(evaluate: Evaluator, *keys: int) -> Callable[[], None]:
    def ask() -> None:
        assert len(evaluate(leaves(*keys)).policy) == len(keys)

    return ask


def test_uniform_knows_nothing_and_allocates_nothing() -> None:
    evaluate = Uniform(GAME)
    policy, wdl, moves_left, lead = evaluate(leaves(1, 2, 3))
    assert lead is None
    assert policy.shape == (3, GAME.num_actions) and not policy.any()
    assert wdl.tolist() == [[0.5, 0, 0.5]] * 3 and moves_left.tolist() == [0, 0, 0]
    assert all(array.dtype == np.float32 for array in (policy, wdl, moves_left))
    assert np.shares_memory(policy, evaluate(leaves(4)).policy)
    assert len(evaluate(leaves(*range(1000))).wdl) == 1000


def test_hash_is_a_pure_function_of_key_and_seed() -> None:
    evaluate = Hash(GAME)
    keys = [int(k) for k in np.random.default_rng(0).integers(0, 2**64, 500, np.uint64)]
    policy, wdl, moves_left, _ = together = evaluate(leaves(*keys))
    for i, key in enumerate(keys):
        assert same(evaluate(leaves(key)), Evaluation(policy[i : i + 1], wdl[i : i + 1], moves_left[i : i + 1]))
    assert not same(Hash(GAME, seed=1)(leaves(*keys)), together)
    assert len(np.unique(policy)) > 0.99 * policy.size
    assert all(array.dtype == np.float32 for array in together if array is not None)
    assert -2 <= policy.min() < -1.9 and 1.9 < policy.max() <= 2
    assert wdl.min() > 0 and np.allclose(wdl.sum(axis=1), 1)
    assert moves_left.min() >= 0 and 30 < moves_left.max() <= 40


def test_queue_merges_and_answers_each_row_as_if_alone() -> None:
    plain = Hash(GAME)
    inner = Recorder(plain)
    rounds, clients = 25, 6
    with QueueEvaluator(inner, max_batch=100, max_wait=FOREVER) as queue:
        ready = threading.Barrier(clients)  # all are registered before the first asks

        def search(number: int) -> None:
            with queue.client() as evaluate:
                ready.wait()
                for i in range(rounds):
                    asked = leaves(*(1000 * number + 10 * i + j for j in range(1 + number % 3)))
                    assert same(evaluate(asked), plain(asked))

        in_threads(*(partial(search, number) for number in range(clients)))
    assert inner.sizes == [12] * rounds  # every client of every round, none split


def test_queue_copies_what_inner_only_lends() -> None:
    lent = np.zeros((1, GAME.num_actions), np.float32)

    def inner(asked: Leaves, /) -> Evaluation:
        lent[:] = float(asked.keys[0])
        return Evaluation(lent, np.ones((1, 3), np.float32), np.ones(1, np.float32))

    with QueueEvaluator(inner, max_wait=0) as queue:
        first = queue(leaves(1))
        queue(leaves(2))
        assert first.policy.max() == 1


def test_queue_flushes_a_partial_batch() -> None:
    inner = Recorder(Uniform(GAME))
    with QueueEvaluator(inner, max_batch=1000, max_wait=0.01) as queue:
        in_threads(asking(queue, 1, 2))  # unregistered: only max_wait can release it
        # A second client registers and never asks: the first is still answered.
        with queue.client() as evaluate, queue.client():
            in_threads(asking(evaluate, 3))
    assert inner.sizes == [2, 1]


def test_queue_flushes_when_full_or_when_a_client_leaves() -> None:
    inner = Recorder(Uniform(GAME))
    with QueueEvaluator(inner, max_batch=4, max_wait=FOREVER) as queue:
        in_threads(*[asking(queue, 1, 2)] * 2)
        in_threads(asking(queue, *range(9)))  # larger than max_batch: alone, unsplit
        leaving = threading.Event()

        def stay() -> None:
            with queue.client() as evaluate:
                threading.Timer(0.05, leaving.set).start()
                evaluate(leaves(7))

        def leave() -> None:
            with queue.client():
                leaving.wait()

        in_threads(stay, leave)
    assert inner.sizes == [4, 9, 1]


def test_queue_hands_an_error_to_every_caller_and_goes_on() -> None:
    failing = True

    def inner(asked: Leaves, /) -> Evaluation:
        if failing:
            raise RuntimeError("no network today")
        return Uniform(GAME)(asked)

    def expect_error() -> None:
        with pytest.raises(RuntimeError, match="no network today"):
            queue(leaves(1))

    with QueueEvaluator(inner, max_batch=3, max_wait=FOREVER) as queue:
        in_threads(*[expect_error] * 3)
        failing = False
        in_threads(*[asking(queue, 1)] * 3)


def test_queue_refuses_a_wrong_number_of_rows() -> None:
    with (
        QueueEvaluator(lambda _: Uniform(GAME)(leaves(1, 2)), max_wait=0) as queue,
        pytest.raises(ValueError, match=r"\[2, 2, 2\] rows .* for 1 leaves"),
    ):
        queue(leaves(1))


def test_queue_close_answers_those_who_wait_and_refuses_the_rest() -> None:
    inner = Recorder(Uniform(GAME))
    queue = QueueEvaluator(inner, max_wait=FOREVER)

    def close_soon() -> None:
        while not queue._waiting:
            pass
        queue.close()

    in_threads(asking(queue, 1, 2, 3), close_soon)
    assert inner.sizes == [3]
    with pytest.raises(RuntimeError, match="closed"):
        queue(leaves(1))
    queue.close()


@pytest.mark.parametrize("bad", [{"max_batch": 0}, {"max_wait": -1.0}, {"max_wait": float("nan")}])
def test_queue_refuses_bad_settings(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        QueueEvaluator(Uniform(GAME), **bad)  # type: ignore[arg-type]
