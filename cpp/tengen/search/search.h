// One tree, textbook: gather leaves, expand and back up their evaluations, until the budget is spent. docs/search.md is
// the definition, src/tengen/reference/ the same in Python; this file keeps their steps, by the page's numbers.
#pragma once

#include <array>
#include <vector>

#include "tengen/base/elementary.h"
#include "tengen/base/nearby.h"
#include "tengen/base/rollout.h"
#include "tengen/proof/probe.h"
#include "tengen/search/cache.h"
#include "tengen/search/root.h"

namespace tengen {

// A network's answer for one position, under the symmetry it was shown.
struct Output {
  const float* policy;  // [actions] logits
  const float* wdl;     // [3] win, draw, loss
  float moves_left;     // plies
  float lead;           // points at the end; kNoLead where nobody says
};

template <Game G>
class Search {
 public:
  // A leaf waiting for its evaluation.
  struct Leaf {
    G state;
    Path path;
    int symmetry;
    std::uint64_t key;  // names the shown view
  };

  Search(const G& start, const SearchConfig& config, std::uint64_t seed, std::uint32_t max_nodes)
      : state_(start),
        tree_(max_nodes, start.num_actions(), counted(start)),
        seed_(seed),
        probe_(start),
        actions_(static_cast<std::size_t>(start.num_actions())) {
    restart(start, 0, config);
  }

  void configure(const SearchConfig& config) {
    use(config);
    if (expanded()) new_root();
  }
  const SearchConfig& config() const { return config_; }
  const G& state() const { return state_; }
  const Tree& tree() const { return tree_; }
  const Root& root() const { return root_; }
  std::uint32_t visits() const { return visits_; }
  bool expanded() const { return tree_.root().kind == Node::Kind::expanded; }
  int pending() const { return pending_; }
  const Leaf& leaf(int i) const { return leaves_[static_cast<std::size_t>(i)]; }

  void reset(const G& state, std::uint64_t game) { restart(state, game, config_); }
  void restart(const G& state, std::uint64_t game, const SearchConfig& config) {
    use(config);
    game_ = game;
    pending_ = 0;
    state_ = state;
    clear_tree();
    probe_.forget();
    rollouts_ = name().stream(Purpose::rollout);
    new_root();
  }

  // Plays a move. Its subtree is kept, in the memory of `spare`, which gets this tree's.
  void advance(Action action, Tree& spare) { advance(action, config_, spare); }
  void advance(Action action, const SearchConfig& config, Tree& spare) {
    use(config);
    const Node& root = tree_.root();
    const Edge* edges = tree_.edges(root);
    std::uint32_t child = kNone;
    for (int i = 0; expanded() && i < root.num_edges; ++i)
      if (edges[i].action == action) child = edges[i].child;
    std::vector<G> kept;
    if constexpr (Foreign<G>) kept.reserve(tree_.size());
    G next = state_;
    next.apply(action);
    state_ = std::move(next);
    // What was never expanded (only its end was seen ahead) has no moves to choose from. Below a node that is solved
    // without distance, moves were never told apart.
    const auto keeps = [this](const Node& node) {
      return node.kind >= Node::Kind::expanded && (!solved(config_, node) || node.with_distance());
    };
    if (config_.tree_reuse && child != kNone && keeps(tree_.node(child))) {
      tree_.copy_subtree(child, spare, [&](std::uint32_t i) {
        if constexpr (Foreign<G>) kept.push_back(kept_[i]);
      });
      std::swap(tree_, spare);
      std::swap(kept_, kept);
    } else {
      clear_tree();
    }
    rollouts_ = name().stream(Purpose::rollout);
    new_root();
  }

  // Looked at inside the probe, which may take seconds.
  void heed(const Stop& stop) { probe_.heed(stop); }

  // Is there nothing left to do? (Looked at while nothing is pending.)
  bool finished() const {
    if (state_.terminal()) return true;
    if (!expanded()) return false;
    if (solved_with_distance(config_, tree_.root()) || visits_ >= static_cast<std::uint32_t>(config_.sims)) return true;
    if (!full()) return false;
    const Edge* edges = tree_.edges(tree_.root());  // without a child no simulation could ever be counted
    return std::all_of(edges, edges + tree_.root().num_edges, [](const Edge& edge) { return edge.child == kNone; });
  }

  // Descends until `leaves` positions are pending or nothing more can be asked for. `stop` is looked at before each
  // descent.
  template <class Stop>
  void gather(const Cache& cache, Stop&& stop) {
    if (state_.terminal()) return;
    while (!stop()) {
      if (!expanded()) {
        if (pending_ > 0) return;
      } else {
        if (pending_ == 0 && finished()) return;
        if (solved_with_distance(config_, tree_.root()) || pending_ == config_.leaves ||
            visits_ + static_cast<std::uint32_t>(pending_) >= static_cast<std::uint32_t>(config_.sims))
          return;
      }
      if (!descend(cache)) return;
    }
  }

  // Expands and backs up all pending leaves in the order they were gathered; `output(i)` is the answer for leaf i. That
  // takes long only where positions are proven, each in its turn: there `stop` is looked at before every leaf but the
  // first, and the others are cancelled. A failure cancels what has not been backed up by then.
  template <class Outputs, class Stop>
  void answer(Outputs&& output, Stop&& stop) {
    int i = 0;
    try {
      for (; i < pending_ && !(i > 0 && probe_.proves() && stop()); ++i) {
        unmark(tree_, leaf(i).path);
        finish(leaf(i).path, expand(leaf(i), output(i)));
      }
    } catch (...) {
      mark(tree_, leaf(i).path);
      cancel_from(i);
      throw;
    }
    cancel_from(i);
  }

  // Forgets all pending leaves: as if they had never been gathered.
  void cancel() { cancel_from(0); }

  // The whole search with random playouts for evaluations. Priors prefer moves near stones, if asked for. Otherwise
  // UCB1 tries moves in random order, and PUCT has no preference.
  template <class Stop>
  void run_rollouts(bool nearby, const Cache& no_cache, Stop&& stop) {
    Nearby<G> near(state_);
    std::vector<float> policy(static_cast<std::size_t>(state_.num_actions()), 0.0f);
    std::array<float, 3> wdl{};
    G state = state_;
    for (gather(no_cache, stop); pending_ > 0; gather(no_cache, stop)) {
      answer(
          [&](int i) {
            state = leaf(i).state;
            const int plies = play_out(state, rollouts_, actions_.data());
            const int sign = leaf(i).state.to_move() == state.to_move() ? 1 : -1;
            const int result = sign * static_cast<int>(state.outcome());
            if (nearby)
              near.write(leaf(i).state, leaf(i).symmetry, policy.data());
            else if (config_.rule == Rule::ucb1)
              for (float& logit : policy) logit = static_cast<float>(rollouts_.uniform());
            wdl = {result > 0 ? 1.0f : 0.0f, result == 0 ? 1.0f : 0.0f, result < 0 ? 1.0f : 0.0f};
            return Output{policy.data(), wdl.data(), static_cast<float>(plies),
                          static_cast<float>(sign * lead_at_end(state))};
          },
          stop);
    }
  }

  int best() const {
    if (const int kept = keeping(); kept >= 0) return kept;
    return edge_action(Answer(config_, tree_, root_).best());
  }
  int choose() const {
    if (const int kept = keeping(); kept >= 0) return kept;
    return edge_action(Answer(config_, tree_, root_).choose(state_.ply(), name().stream(Purpose::temperature)));
  }
  std::vector<double> target() const { return Answer(config_, tree_, root_).target(); }  // by edge
  Value worth() const { return Answer(config_, tree_, root_).worth(); }

 private:
  void use(const SearchConfig& config) {
    config_ = config;
    const bool on = config.solver;
    probe_.limit(on ? config.lookahead : 0, on ? config.prove_nodes : 0, on ? config.threats : 0);
  }
  StreamName name() const { return {seed_, game_, static_cast<std::uint64_t>(state_.ply())}; }
  bool full() const { return tree_.full(static_cast<std::uint32_t>(config_.max_nodes)); }
  int edge_action(int edge) const { return tree_.edges(tree_.root())[edge].action; }

  // Where all is settled, the move that places nothing keeps what both sides have: no search finds a better one, and
  // few simulations may find a worse. −1 elsewhere.
  int keeping() const {
    if constexpr (Settles<G>)
      if (config_.solver && expanded() && state_.settled())
        for (int i = 0; i < tree_.root().num_edges; ++i)
          if (state_.landing_cell(static_cast<Action>(edge_action(i))) < 0) return edge_action(i);
    return -1;
  }

  void cancel_from(int first) {
    for (int i = first; i < pending_; ++i) {
      unmark(tree_, leaf(i).path);
      tree_.node(leaf(i).path.back().node).kind = Node::Kind::fresh;
    }
    pending_ = 0;
  }

  void clear_tree() {
    tree_.clear();
    if constexpr (Foreign<G>) kept_.assign(1, state_);
    note_end(tree_.root(), state_);
  }
  // A new node where the game is over has the value the rules give it, and never an evaluation.
  static void note_end(Node& node, const G& state) {
    if (!state.terminal()) return;
    const int value = static_cast<int>(state.outcome());
    node.kind = Node::Kind::terminal;
    node.prove({value, value, 0});
  }

  // Of a finished game, for the side to move.
  static double lead_at_end(const G& state) {
    if constexpr (Counted<G>)
      if (counted(state)) {
        const Score score = state.score();
        return state.to_move() == 0 ? score.first - score.second : score.second - score.first;
      }
    return kNoLead;
  }

  // Fails without memory; the tree is empty then, for a root without its randomness must not be searched.
  void new_root() {
    visits_ = 0;
    win_ = -1;
    if (!expanded()) return;
    for (int i = 0; i < tree_.root().num_edges; ++i)
      if (const auto child = tree_.edges(tree_.root())[i].child; child != kNone) visits_ += tree_.node(child).visits;
    try {
      renew_root(config_, tree_, name(), root_);
      const auto win = probe_.win(state_);
      for (int i = 0; win && i < tree_.root().num_edges; ++i)
        if (edge_action(i) == *win) win_ = i;
    } catch (...) {
      clear_tree();
      visits_ = 0;
      throw;
    }
  }

  // One descent, in the steps of section 3 of docs/search.md; false when it ended on a pending leaf.
  bool descend(const Cache& cache) {
    if (leaves_.size() == static_cast<std::size_t>(pending_)) leaves_.push_back({state_, {}, 0, 0});
    Leaf& leaf = leaves_[static_cast<std::size_t>(pending_)];
    leaf.state = state_;
    leaf.path.clear();
    std::uint32_t index = 0;
    for (int edge = -1;;) {
      Node& node = tree_.node(index);
      leaf.path.push_back({index, edge});
      // D1. The game is over.
      if (node.kind == Node::Kind::terminal)
        return finish(leaf.path, solved_value(node.lo, 0, lead_at_end(leaf.state))), true;
      // D2. A new position may be solved by what is cheap to see: then nobody needs to be asked. The root is asked in
      // any case, for its moves must have priors.
      if (node.kind == Node::Kind::fresh && index != 0 && !node.solved()) learn(node, probe_(leaf.state, {}));
      // D3. Nothing is left to find.
      if (solved_with_distance(config_, node))
        return finish(leaf.path, solved_value(discounted(config_, node, node.dist()), node.dist())), true;
      // D4. A collision.
      if (node.kind == Node::Kind::pending) return false;
      // D5. A leaf.
      if (node.kind == Node::Kind::fresh) return ask(leaf, node, cache), true;
      // D6 and D7. Choose a child.
      edge = index == 0 ? winning_edge() : -1;
      if (edge < 0) edge = select_(config_, tree_, index, index == 0 ? &root_ : nullptr, full());
      if (edge < 0) return finish(leaf.path, {node.q, node.d, node.m, tree_.lead(index)}), true;
      // D8. Go on to it.
      Edge& taken = tree_.edges(node)[edge];
      if (taken.child == kNone) {
        leaf.state.apply(taken.action);
        if constexpr (Foreign<G>) kept_.push_back(leaf.state);
        taken.child = tree_.add_node();
        note_end(tree_.node(taken.child), leaf.state);
      } else if constexpr (Foreign<G>) {
        leaf.state = kept_[taken.child];
      } else {
        leaf.state.apply(taken.action);
      }
      index = taken.child;
    }
  }

  // What the probe says of a node: bounds that leave its value open are of no use here.
  static void learn(Node& node, const Bounds& found) {
    if (found.solved()) node.prove(found);
  }

  // D6. The root was not asked about: a move that the probe knows to win goes before all others, whatever its prior.
  int winning_edge() const {
    return win_ >= 0 && !full() && tree_.edges(tree_.root())[win_].child == kNone ? win_ : -1;
  }
  // D5. A position nobody has evaluated yet: the cache answers at once, or the leaf becomes pending.
  void ask(Leaf& leaf, Node& node, const Cache& cache) {
    leaf.symmetry = shown_symmetry(leaf.state);
    leaf.key = leaf.state.hash(leaf.symmetry);
    if (const float* known = cache.find(leaf.key)) {
      const float* wdl = known + leaf.state.num_actions();
      finish(leaf.path, expand(leaf, {known, wdl, wdl[3], tree_.counted() ? wdl[4] : static_cast<float>(kNoLead)}));
    } else {
      node.kind = Node::Kind::pending;
      mark(tree_, leaf.path);
      ++pending_;
    }
  }

  // Orders the symmetries by what they show and takes one of a rank that depends on that alone: mirrored positions are
  // shown alike. Playouts, which is what ucb1 is for, do not look at a board.
  int shown_symmetry(const G& state) const {
    if (config_.rule == Rule::ucb1) return 0;
    const int count = state.num_symmetries();
    std::array<std::pair<std::uint64_t, int>, 8> views;
    for (int s = 0; s < count; ++s) views[static_cast<std::size_t>(s)] = {state.hash(s), s};
    const auto end = views.begin() + count;
    const auto smallest = std::min_element(views.begin(), end)->first;
    const auto rank = mix64(smallest ^ mix64(seed_ + kGolden)) % static_cast<std::uint64_t>(count);
    std::nth_element(views.begin(), views.begin() + static_cast<std::ptrdiff_t>(rank), end);
    return views[rank].second;
  }

  // Gives the leaf its edges with priors: a softmax of the logits over the legal moves, by prior_temperature. What may
  // fail for want of memory comes before anything of the tree changes, except new_root.
  Value expand(const Leaf& leaf, const Output& output) {
    Node& node = tree_.node(leaf.path.back().node);
    Value value{static_cast<double>(output.wdl[0]) - static_cast<double>(output.wdl[2]),
                static_cast<double>(output.wdl[1]), static_cast<double>(output.moves_left),
                static_cast<double>(output.lead)};
    prove(leaf, node, value.v);                       // E1
    const int n = leaf.state.legal(actions_.data());  // E2
    Edge* edges = tree_.add_edges(node, n);
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int i = 0; i < n; ++i) {
      const Action a = actions_[static_cast<std::size_t>(i)];
      edges[i] = {static_cast<double>(output.policy[leaf.state.policy_index(leaf.symmetry, a)]), kNone, a};
      most = std::max(most, edges[i].prior);
    }
    for (int i = 0; i < n; ++i)
      sum += edges[i].prior = elementary::exp((edges[i].prior - most) / config_.prior_temperature);
    for (int i = 0; i < n; ++i) edges[i].prior /= sum;
    node.kind = Node::Kind::expanded;
    if (solved(config_, node)) value = solved_value(discounted(config_, node, value.m), value.m, value.lead);
    node.v = value.v;  // E3
    if (leaf.path.size() == 1) new_root();
    return value;
  }

  // A proof says nothing of how long the game lasts: so descents go on below it, for its plies. The root is left to its
  // moves, one of which must be chosen; and at or below a solved node, except the root, there is nothing more to prove.
  void prove(const Leaf& leaf, Node& node, double expected) {
    const std::size_t depth = leaf.path.size() - 1;
    if (depth == 0 || node.solved() || (depth > 1 && tree_.node(leaf.path[depth - 1].node).solved())) return;
    learn(node, probe_(leaf.state, expected));
  }

  void finish(const Path& path, Value value) {
    backup(config_, tree_, path, value);
    visits_ += path.size() > 1;
  }

  SearchConfig config_;
  G state_;
  Tree tree_;
  std::vector<G> kept_;  // by node, of foreign games: a descent asks their rules once
  std::uint64_t seed_, game_ = 0;
  std::uint32_t visits_ = 0;  // Σ N over the root's children
  int win_ = -1;              // the root's edge that the probe knows to win
  Root root_;
  Selector select_;
  Rng rollouts_{0};
  std::vector<Leaf> leaves_;  // the first pending_ are waiting; the next is the descent under way
  int pending_ = 0;
  Probe<G> probe_;
  std::vector<Action> actions_;  // scratch
};

}  // namespace tengen
