// Binds batched search. The planes of a batch are lent, not copied: the next select overwrites them, but their memory
// lasts as long as anybody holds it.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <bit>
#include <cmath>

#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

struct PySearch : PyLeafSource {
  int checked(int tree) const {
    if (tree < 0 || tree >= search->trees())
      throw nb::index_error(
          ("tree " + std::to_string(tree) + " is not one of 0 to " + std::to_string(search->trees() - 1)).c_str());
    return tree;
  }
  // To be called inside.
  int answered(int tree) const {
    if (search->expanded(checked(tree))) return tree;
    NodeView root;
    search->find(tree, {}, root);
    throw Error(root.terminal ? "the game is over at the root: there is no move to choose"
                              : "the root has not been evaluated yet: search first");
  }
};

void require_game(const AnyGame& game, const PyState& state, const char* whose) {
  if (state.game->id().text() != game.id().text())
    throw Error(std::string("this ") + whose + " is for " + game.id().text() + ", the position is of " +
                state.game->id().text());
}

struct PyProbe {
  GamePtr game;
  std::unique_ptr<AnyProbe> probe;
  void limit(int lookahead, int positions, int threats) {
    if (lookahead < 0 || lookahead > kMostLookahead || positions < 0 || threats < 0)
      throw Error("a probe looks 0 to " + std::to_string(kMostLookahead) + " plies ahead, at 0 or more positions");
    probe->limit(lookahead, positions, threats);
  }
};

void require_asked(const PyProbe& probe, const PyState& state) {
  require_game(*probe.game, state, "probe");
  if (state.state->terminal()) throw Error("the game is over: there is nothing to prove");
}

std::optional<int> distance(int dist) { return dist == Bounds::kNoDistance ? std::nullopt : std::optional(dist); }

// The leaves of one batch that need an evaluation. Arrays of theirs keep it alive, and it their memory.
struct PyLeaves {
  std::shared_ptr<const LeafRows> lent;
  GamePtr game;
  int rows;
};

template <int N>
using Floats = nb::ndarray<const float, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// Wrong input, not a mistake in the program: a network of a stranger can answer anything.
[[noreturn]] void refuse(const std::string& what) { throw Error("evaluator: " + what); }

void check_finite(const float* data, std::size_t n, const char* name) {
  bool bad = false;  // NaN and infinity have every exponent bit set; integers, so that the loop runs in vectors
  for (std::size_t i = 0; i < n; ++i) bad |= (std::bit_cast<std::uint32_t>(data[i]) & 0x7f800000u) == 0x7f800000u;
  if (bad) refuse(std::string(name) + " has a value that is not a finite number");
}

template <int N>
bool has_shape(const auto& array, const std::array<std::size_t, N>& shape) {
  bool fits = array.ndim() == N;
  for (std::size_t i = 0; fits && i < N; ++i) fits = array.shape(i) == shape[i];
  return fits;
}

// An evaluator's array, checked against what was asked for; one that is not contiguous is copied.
template <int N>
Floats<N> checked_array(nb::handle given, const char* name, const std::array<std::size_t, N>& shape) {
  if (Floats<N> floats; nb::try_cast(given, floats, false) && has_shape<N>(floats, shape)) return floats;
  const auto text = [](std::size_t n, auto&& size) {
    std::string out = "[";
    for (std::size_t i = 0; i < n; ++i) out += (i ? ", " : "") + std::to_string(size(i));
    return out + "]";
  };
  const std::string wanted =
      std::string(name) + " must be a float32 array of shape " + text(N, [&](std::size_t i) { return shape[i]; });
  nb::ndarray<nb::ro, nb::device::cpu> any;
  if (!nb::try_cast(given, any)) refuse(wanted + ", not a " + nb::type_name(given.type()).c_str());
  if (!has_shape<N>(any, shape))
    refuse(wanted + ", not " + text(any.ndim(), [&](std::size_t i) { return any.shape(i); }));
  if (any.dtype() != nb::dtype<float>()) refuse(wanted + ", and this one is of another type");
  return nb::cast<Floats<N>>(given);
}

// An evaluator's answers to the last select, as far as they can be believed.
struct Answers {
  Floats<2> policy, wdl;
  Floats<1> moves_left, lead;
  EvaluatedRows rows() const {
    return {policy.data(), wdl.data(), moves_left.data(), lead.is_valid() ? lead.data() : nullptr};
  }
};
Answers checked_answers(const PyLeafSource& self, nb::handle policy_given, nb::handle wdl_given,
                        nb::handle moves_left_given, nb::handle lead_given) {
  const auto rows = static_cast<std::size_t>(self.search->rows());
  const auto actions = static_cast<std::size_t>(self.game->num_actions());
  const auto policy = checked_array<2>(policy_given, "policy", {rows, actions});
  const auto wdl = checked_array<2>(wdl_given, "wdl", {rows, 3});
  const auto moves_left = checked_array<1>(moves_left_given, "moves_left", {rows});
  check_finite(policy.data(), rows * actions, "policy");
  check_finite(wdl.data(), rows * 3, "wdl");
  check_finite(moves_left.data(), rows, "moves_left");
  for (std::size_t i = 0; i < rows; ++i) {
    const float* p = wdl.data() + 3 * i;
    if (std::min({p[0], p[1], p[2]}) < -1e-3f || std::abs(p[0] + p[1] + p[2] - 1) > 1e-2f)
      refuse("wdl must be probabilities (win, draw, loss) that add up to 1, but row " + std::to_string(i) + " is " +
             std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]));
    if (moves_left.data()[i] < 0) refuse("moves_left must not be negative");
  }
  if (lead_given.is_none()) return {policy, wdl, moves_left, {}};
  const auto lead = checked_array<1>(lead_given, "lead", {rows});
  check_finite(lead.data(), rows, "lead");
  return {policy, wdl, moves_left, lead};
}

void backup(PyLeafSource& self, nb::handle policy, nb::handle wdl, nb::handle moves_left, nb::handle lead) {
  const auto search = self.enter();
  const Answers answers = checked_answers(self, policy, wdl, moves_left, lead);
  const nb::gil_scoped_release release;
  search->backup(answers.rows());
}
PyLeaves select(PyLeafSource& self) {
  const auto search = self.enter();
  const nb::gil_scoped_release release;
  const int rows = search->select();
  return {search->lent(), self.game, rows};
}
PyLeaves step(PyLeafSource& self, nb::handle policy, nb::handle wdl, nb::handle moves_left, nb::handle lead) {
  const auto search = self.enter();
  const Answers answers = checked_answers(self, policy, wdl, moves_left, lead);
  const nb::gil_scoped_release release;
  const int rows = search->step(answers.rows());
  return {search->lent(), self.game, rows};
}

NodeView node(const PySearch& self, int tree, const std::vector<int>& path) {
  std::vector<Action> actions;
  for (const int a : path)
    actions.push_back(a < 0 || a >= self.game->num_actions() ? Action{0xffff} : static_cast<Action>(a));
  NodeView out;
  if (!self.enter()->find(self.checked(tree), actions, out)) throw Error("the tree has no node at that path");
  return out;
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<PyProbe>(m, "Probe", "What a search asks the rules of a position: by looking ahead, or by proof.")
      .def(
          "__init__",
          [](PyProbe* self, const PyGame& game, int lookahead, int positions, int threats) {
            new (self) PyProbe{game.game, game.game->make_probe()};
            self->limit(lookahead, positions, threats);
          },
          "game"_a, "lookahead"_a = 0, "positions"_a = 0, "threats"_a = 0)
      .def("limit", &PyProbe::limit, "lookahead"_a, "positions"_a, "threats"_a = 0,
           "What a question may cost: search.lookahead, search.prove_nodes and search.threats; 0: it is not asked.")
      .def(
          "win",
          [](PyProbe& self, const PyState& state) {
            require_asked(self, state);
            return self.probe->win(*state.state);
          },
          "state"_a, "A move that wins, where one does at once or begins a chain of threats; else None.")
      .def(
          "__call__",
          [](PyProbe& self, const PyState& state, std::optional<double> expected) {
            require_asked(self, state);
            const Bounds found = self.probe->ask(*state.state, expected);
            return std::tuple(found.lo, found.hi, distance(found.dist));
          },
          "state"_a, "expected"_a = nb::none(),
          "(lo, hi, plies to the end or None) for the side to move. It looks ahead and follows threats while nothing "
          "is expected, else it "
          "tries a proof, of a win first where the expected value is above 0. What proofs found before helps, and "
          "plies "
          "where they fail are given up.");
  nb::class_<EdgeView>(
      m, "EdgeView", "A move at a node: its prior, its score's terms, and its child's numbers (the child's own view).")
      .def_ro("action", &EdgeView::action)
      .def_ro("prior", &EdgeView::prior, "The network's probability.")
      .def_ro("noise", &EdgeView::noise, "Root noise, apart from the prior; 0 where there is none.")
      .def_ro("value", &EdgeView::value,
              "Value for the parent as selection sees it (first-play urgency when unvisited).")
      .def_ro("u", &EdgeView::u, "Exploration term.")
      .def_ro("moves_left", &EdgeView::moves_left, "Moves-left utility.")
      .def_ro("lead", &EdgeView::lead, "Utility of the lead.")
      .def_prop_ro(
          "score", [](const EdgeView& e) { return e.value + e.u + e.moves_left + e.lead; }, "What selection compares.")
      .def_ro("visits", &EdgeView::visits)
      .def_ro("q", &EdgeView::q)
      .def_ro("d", &EdgeView::d)
      .def_ro("m", &EdgeView::m)
      .def_ro("s", &EdgeView::s)
      .def_ro("p", &EdgeView::p, "Mean lead in points, in a game that is counted.")
      .def_ro("lo", &EdgeView::lo)
      .def_ro("hi", &EdgeView::hi)
      .def_prop_ro(
          "dist", [](const EdgeView& e) { return distance(e.dist); },
          "Plies to the end; None unless solved with distance.")
      .def_ro("in_flight", &EdgeView::in_flight);

  nb::class_<NodeView>(m, "NodeView", "A node of the tree, copied out; values for the side to move there.")
      .def_ro("visits", &NodeView::visits)
      .def_ro("q", &NodeView::q)
      .def_ro("d", &NodeView::d)
      .def_ro("m", &NodeView::m)
      .def_ro("s", &NodeView::s)
      .def_ro("p", &NodeView::p, "Mean lead in points, in a game that is counted.")
      .def_ro("v", &NodeView::v)
      .def_ro("seen", &NodeView::seen)
      .def_ro("lo", &NodeView::lo)
      .def_ro("hi", &NodeView::hi)
      .def_prop_ro(
          "dist", [](const NodeView& n) { return distance(n.dist); },
          "Plies to the end; None unless solved with distance.")
      .def_ro("in_flight", &NodeView::in_flight)
      .def_ro("terminal", &NodeView::terminal)
      .def_ro("expanded", &NodeView::expanded)
      .def_ro("edges", &NodeView::edges);

  nb::class_<PyLeaves>(m, "Leaves",
                       "Positions that need an evaluation; the next select overwrites them. False when there are none.")
      .def("__len__", [](const PyLeaves& l) { return l.rows; })
      .def("__bool__", [](const PyLeaves& l) { return l.rows > 0; })
      .def_prop_ro(
          "planes",
          [](nb::handle_t<PyLeaves> self) {
            const auto& l = nb::cast<const PyLeaves&>(self);
            const auto layout = l.game->layout();
            return nb::ndarray<nb::numpy, const float, nb::ndim<4>>(
                l.lent->planes.get(),
                {static_cast<std::size_t>(l.rows), static_cast<std::size_t>(l.game->num_planes()),
                 static_cast<std::size_t>(layout.rows), static_cast<std::size_t>(layout.cols)},
                self);
          },
          nb::rv_policy::automatic, "float32 [leaves, planes, rows, cols], lent without copying.")
      .def_prop_ro(
          "keys",
          [](nb::handle_t<PyLeaves> self) {
            const auto& l = nb::cast<const PyLeaves&>(self);
            return nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(l.lent->keys.get(),
                                                                            {static_cast<std::size_t>(l.rows)}, self);
          },
          nb::rv_policy::automatic, "uint64 [leaves]: the hash of what each row of planes shows.");

  nb::class_<PyLeafSource>(m, "LeafSource",
                           "What asks for evaluations: select, evaluate, backup, until nothing is selected.")
      .def("select", &select,
           "Gathers leaves of all trees; an empty batch means that every tree is finished, or was stopped.")
      .def("backup", &backup, "policy"_a.none(), "wdl"_a.none(), "moves_left"_a.none(), "lead"_a = nb::none(),
           nb::sig("def backup(self, policy: NDArray[numpy.float32], wdl: NDArray[numpy.float32], moves_left: "
                   "NDArray[numpy.float32], lead: NDArray[numpy.float32] | None = None) -> None"),
           "Gives the leaves of the last select their evaluations: logits [L, actions], win-draw-loss [L, 3], plies "
           "[L], and where somebody counts the lead in points [L].")
      .def("step", &step, "policy"_a.none(), "wdl"_a.none(), "moves_left"_a.none(), "lead"_a = nb::none(),
           nb::sig("def step(self, policy: NDArray[numpy.float32], wdl: NDArray[numpy.float32], moves_left: "
                   "NDArray[numpy.float32], lead: NDArray[numpy.float32] | None = None) -> Leaves"),
           "backup and select at once, which takes less time.")
      .def(
          "cancel", [](PyLeafSource& s) { s.enter()->cancel(); },
          "Forgets the leaves that were selected last; the trees stay usable.")
      .def(
          "stop", [](PyLeafSource& s) { s.search->stop(); },
          "Ends the search under way, from any thread, once its roots are evaluated; a later select goes on.")
      .def(
          "set_network", [](PyLeafSource& s, std::uint64_t hash) { s.enter()->set_network(hash); }, "hash"_a,
          "Names the network that answers from now on: answers of others are forgotten.")
      .def(
          "counts",
          [](const PyLeafSource& s) {
            const auto counts = s.enter()->counts();
            nb::dict out;
            out["evaluations"] = counts.evaluations;
            out["duplicates"] = counts.duplicates;
            out["batches"] = counts.batches;
            return out;
          },
          nb::sig("def counts(self) -> dict[str, int]"), "Rows evaluated, leaves that shared a row, batches.");

  nb::class_<PySearch, PyLeafSource>(m, "BatchSearch",
                                     "Many trees searched together, the network asked once per step for all of them.")
      .def(
          "__init__",
          [](PySearch* self, const PyGame& game, int trees, const SearchConfig& config, std::uint64_t seed,
             int threads) {
            if (trees < 1 || trees > 1'000'000) throw nb::value_error("trees must be from 1 to 1000000");
            if (threads < 0 || threads > 1024) throw nb::value_error("threads must be from 0 (one per core) to 1024");
            new (self) PySearch{{game.game, game.game->make_search(trees, config, seed, threads)}};
          },
          "game"_a, "trees"_a, "config"_a, "seed"_a = 0, "threads"_a = 0)
      .def_prop_ro("trees", [](const PySearch& s) { return s.search->trees(); })
      .def(
          "config", [](const PySearch& s, int tree) { return s.enter()->config(s.checked(tree)); }, "tree"_a)
      .def(
          "configure",
          [](PySearch& s, int tree, const SearchConfig& config) { s.enter()->configure(s.checked(tree), config); },
          "tree"_a, "config"_a, "Changes a tree's options; its statistics stay.")
      .def(
          "reset",
          [](PySearch& s, int tree, const PyState& state, std::uint64_t game_number) {
            require_game(*s.game, state, "search");
            s.enter()->reset(s.checked(tree), *state.state, game_number);
          },
          "tree"_a, "state"_a, "game_number"_a = 0, "Starts a tree afresh at a position.")
      .def(
          "advance",
          [](PySearch& s, int tree, int action) {
            const auto search = s.enter();
            if (!search->is_legal(s.checked(tree), action))
              throw Error("action " + std::to_string(action) + " is not legal at the root");
            search->advance(tree, static_cast<Action>(action));
          },
          "tree"_a, "action"_a, "Plays a move; its subtree is kept (tree_reuse).")
      .def(
          "activate",
          [](PySearch& s, const std::vector<int>& trees) {
            for (const int t : trees) s.checked(t);
            s.enter()->activate(trees);
          },
          "trees"_a, "Only these trees are searched from now on; at first all are.")
      .def(
          "run_rollouts",
          [](PySearch& s, bool nearby) {
            const auto search = s.enter();
            const nb::gil_scoped_release release;
            search->run_rollouts(nearby);
          },
          "nearby"_a,
          "Runs the whole search natively with random playouts for evaluations; nearby: priors prefer moves near "
          "stones.")
      .def(
          "finished", [](const PySearch& s, int tree) { return s.enter()->finished(s.checked(tree)); }, "tree"_a)
      .def(
          "visits", [](const PySearch& s, int tree) { return s.enter()->visits(s.checked(tree)); }, "tree"_a,
          "Simulations so far, inherited ones included.")
      .def(
          "best", [](const PySearch& s, int tree) { return s.enter()->best(s.answered(tree)); }, "tree"_a,
          "The move to play.")
      .def(
          "choose", [](const PySearch& s, int tree) { return s.enter()->choose(s.answered(tree)); }, "tree"_a,
          "The move to play, sampled with the options' temperature.")
      .def(
          "target",
          [](const PySearch& s, int tree) {
            const auto target = s.enter()->target(s.answered(tree));
            auto* data = new double[target.size()];
            std::copy(target.begin(), target.end(), data);
            const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
            return nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {target.size()}, owner);
          },
          "tree"_a, "The training target over all actions.")
      .def(
          "worth",
          [](const PySearch& s, int tree) {
            const Value value = s.enter()->worth(s.answered(tree));
            return std::tuple(value.v, value.d, value.m);
          },
          "tree"_a,
          "Value, draw share and plies to the end, as a record has them: what was proven, or what the target would "
          "get.")
      .def("node", &node, "tree"_a, "path"_a = std::vector<int>{},
           "The node reached from the root by a list of actions.")
      .def(
          "nodes", [](const PySearch& s, int tree) { return s.enter()->nodes(s.checked(tree)); }, "tree"_a,
          "Nodes in a tree.")
      .def(
          "bytes", [](const PySearch& s, int tree) { return s.enter()->bytes(s.checked(tree)); }, "tree"_a,
          "Memory in use by a tree.");
}

}  // namespace tengen
