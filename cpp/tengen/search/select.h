// Choosing a child, step D7: sections 4 and 5 of docs/search.md. The order of floating-point operations is part of the
// definition.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tengen/base/elementary.h"
#include "tengen/search/exploration.h"
#include "tengen/search/tree.h"

namespace tengen {

inline bool solved(const SearchConfig& config, const Node& node) { return config.solver && node.solved(); }
// There a descent has nothing to find.
inline bool solved_with_distance(const SearchConfig& config, const Node& node) {
  return config.solver && node.with_distance();
}

// A move is lost for its mover when the opponent, to move at the child, is proven to win.
inline bool lost(const SearchConfig& config, const Node* child) { return config.solver && child && child->lo == 1; }

// The value of a solved position, less the further away its end is.
inline double discounted(const SearchConfig& config, const Node& node, double plies) {
  return config.discount == 1 ? node.lo : node.lo * elementary::pow(config.discount, plies);
}

// Value and plies left of a visited node as its parent reads them: proofs stand for running means.
struct Reading {
  double q, m;
};
[[gnu::always_inline]] inline Reading read(const SearchConfig& config, const Node& node) {
  if (!solved(config, node)) return {node.q, node.m};
  const double plies = node.with_distance() ? static_cast<double>(node.dist()) : node.m;
  return {discounted(config, node, plies), plies};
}

// First-play urgency: the value, for the parent, of a move nobody has tried. `seen` is the prior share already tried.
inline double first_play_urgency(const SearchConfig& config, double parent_q, double seen) {
  switch (config.fpu_mode) {
    case FpuMode::reduction:
      return std::max(-1.0, parent_q - config.fpu_reduction * std::sqrt(seen));
    case FpuMode::scaled:
      return std::max(-1.0, parent_q - config.fpu_reduction * ((1 + parent_q) / 2) * std::sqrt(seen));
    case FpuMode::zero:
    case FpuMode::infinite:
      break;
  }
  return 0;
}

// Winning: shorter is better; losing: longer. `child_q` is the child's own view, so a won move has child_q < 0.
inline double moves_left_utility(const SearchConfig& config, double child_m, double parent_m, double child_q,
                                 double parent_q) {
  if (config.mlh_slope == 0) return 0;
  const double shift = std::clamp(config.mlh_slope * (child_m - parent_m), -config.mlh_cap, config.mlh_cap);
  if (config.mlh_mode == MlhMode::q) return shift * child_q;
  if (!(std::abs(parent_q) > 0.8)) return 0;
  const double certain = std::max(0.0, std::abs(child_q) - 0.8) / 0.2;
  const double sign = child_q > 0 ? 1 : child_q < 0 ? -1 : 0;
  return shift * sign * (1.6521 * certain - 0.6521 * certain * certain);
}

// What a lead may add to a score: a share of the value small enough that no win is given up for points.
constexpr double kLeadCap = 0.1;

// Winning by more is better, and losing by less: how far a move's lead, for its mover, is above its parent's.
inline double lead_utility(const SearchConfig& config, double child_lead, double parent_lead) {
  if (config.lead_slope == 0) return 0;
  return std::clamp(config.lead_slope * (-child_lead - parent_lead), -kLeadCap, kLeadCap);
}

// What is random at a root, and the visits its children had when it became one. Empty vectors: nothing of the kind.
struct Root {
  std::vector<double> noise;
  std::vector<double> gumbel;  // Gumbel: its noise and the logit of the prior
  std::vector<std::uint32_t> base;
  std::vector<int> visit_sequence;  // Gumbel: the visit number each simulation looks for
  std::vector<bool> candidate;      // Gumbel
};

// Everything about a node that scores of its children share, worked out once.
struct Parent {
  const SearchConfig& config;
  const Tree& tree;
  const Node& node;
  const Edge* edges;
  const Root* root;     // null below the root
  const double* noise;  // by edge; null where there is none
  double weight;        // what one descent in flight adds to a visit count
  bool loss;            // … and does it count as lost?
  double visits, fpu;
  double lead;                    // its mean, in points
  double sqrt_visits = 0, c = 0;  // PUCT
  double log_visits = 0;          // UCB1

  Parent(const SearchConfig& config_, const Tree& tree_, std::uint32_t index, const Root* root_,
         const ExplorationTable* table = nullptr)
      : config(config_),
        tree(tree_),
        node(tree.node(index)),
        edges(tree.edges(node)),
        root(root_),
        noise(root && !root->noise.empty() ? root->noise.data() : nullptr),
        weight(config.virtual_mode == VirtualMode::loss ? config.virtual_weight : 1),
        loss(config.virtual_mode == VirtualMode::loss),
        visits(effective(&node)),
        fpu(first_play_urgency(config, node.q, node.seen)),
        lead(tree.lead(index)) {
    if (config.rule == Rule::ucb1) {
      log_visits = elementary::log(visits);
    } else {
      sqrt_visits = std::sqrt(visits);
      c = table ? (*table)(visits) : exploration(config, visits);
    }
  }

  const Node* child(int i) const { return edges[i].child == kNone ? nullptr : &tree.node(edges[i].child); }
  double effective(const Node* n) const { return n ? n->visits + weight * n->in_flight : 0; }
  double prior(int i) const {
    const double p = edges[i].prior;
    if (!noise) return p;
    return (1 - config.noise_epsilon) * p + config.noise_epsilon * noise[i];
  }
};

// The terms of one child's score, as selection adds them up and as viewers show them.
struct Terms {
  double value, u, moves_left, lead;
  double score() const { return value + u + moves_left + lead; }
};

inline Terms terms(const Parent& parent, int i) {
  const SearchConfig& config = parent.config;
  const Node* child = parent.child(i);
  const bool in_flight_loss = parent.loss && child && child->in_flight > 0;
  Terms t{parent.fpu, 0, 0, 0};
  if (child && child->visits > 0) {
    const Reading r = read(config, *child);
    t.value = -r.q;
    if (in_flight_loss)
      t.value = (-r.q * child->visits - parent.weight * child->in_flight) /
                (child->visits + parent.weight * child->in_flight);
    if (config.rule != Rule::ucb1) {
      t.moves_left = moves_left_utility(config, r.m, parent.node.m, r.q, parent.node.q);
      t.lead = lead_utility(config, parent.tree.lead(parent.edges[i].child), parent.lead);
    }
  } else if (in_flight_loss) {
    t.value = -1;
  }
  if (config.rule == Rule::ucb1)
    t.u = config.c_init * std::sqrt(parent.log_visits / parent.effective(child));
  else
    t.u = parent.c * parent.prior(i) * parent.sqrt_visits / (1 + parent.effective(child));
  return t;
}

// The same score for PUCT with neither virtual loss nor utilities beside the value, where half of that is known to be
// left out and visits are whole numbers.
[[gnu::always_inline]] inline double plain_score(const Parent& parent, int i, const Node* child) {
  const double u = parent.c * parent.prior(i) * parent.sqrt_visits;
  if (!child) return parent.fpu + u;
  const double value = child->visits > 0 ? -read(parent.config, *child).q : parent.fpu;
  return value + u / static_cast<double>(std::int64_t{1} + child->visits + child->in_flight);
}

// Gumbel's monotone map of a value, in the units of logits. The paper's c_visit is 50 and its c_scale 1 for values
// between 0 and 1.
inline double gumbel_sigma(std::uint32_t most_visits, double q) { return (50.0 + most_visits) * ((q + 1) / 2); }

inline double gumbel_logit(double prior) {
  return elementary::log(std::max(prior, std::numeric_limits<double>::min()));
}

// σ(q) of every child of a Gumbel root, unvisited ones at the mixed value of what is known.
inline void gumbel_values(const SearchConfig& config, const Tree& tree, std::vector<double>& out) {
  const Node& root = tree.root();
  const Edge* edges = tree.edges(root);
  double visits = 0, prior = 0, weighted = 0;
  std::uint32_t most = 0;
  out.assign(root.num_edges, 0);
  for (int i = 0; i < root.num_edges; ++i) {
    if (edges[i].child == kNone || tree.node(edges[i].child).visits == 0) continue;
    const Node& child = tree.node(edges[i].child);
    const double q = out[static_cast<std::size_t>(i)] = -read(config, child).q;
    visits += child.visits;
    prior += edges[i].prior;
    weighted += edges[i].prior * q;
    most = std::max(most, child.visits);
  }
  const double mixed = prior > 0 ? (root.v + visits / prior * weighted) / (1 + visits) : root.v;
  for (int i = 0; i < root.num_edges; ++i) {
    const bool visited = edges[i].child != kNone && tree.node(edges[i].child).visits > 0;
    double& q = out[static_cast<std::size_t>(i)];
    q = gumbel_sigma(most, visited ? q : mixed);
  }
}

// The index of the child to descend to, or −1 when a full tree has none. `full`: children without a node are left out.
class Selector {
 public:
  int operator()(const SearchConfig& config, const Tree& tree, std::uint32_t node, const Root* root, bool full) {
    // Every descent begins at the root, and options never change within one.
    if (root && !(table_ && table_->fits(config))) table_ = ExplorationTable::of(config);
    const Parent parent(config, tree, node, root, table_.get());
    if (root && config.rule == Rule::gumbel) return halving(parent, full);
    const int best = greatest(parent, full, config.solver);
    return best >= 0 || !config.solver ? best : greatest(parent, full, false);
  }

 private:
  [[gnu::always_inline]] static int greatest(const Parent& parent, bool full, bool skip_lost) {
    const bool unvisited_first = parent.config.fpu_mode == FpuMode::infinite || parent.config.rule == Rule::ucb1;
    if (unvisited_first)
      if (const int i = untried(parent, full, skip_lost); i >= 0) return i;
    const SearchConfig& config = parent.config;
    const bool plain = config.rule != Rule::ucb1 && !parent.loss && config.mlh_slope == 0 && config.lead_slope == 0;
    return plain ? greatest_score<true>(parent, full, skip_lost) : greatest_score<false>(parent, full, skip_lost);
  }

  template <bool plain>
  [[gnu::always_inline]] static int greatest_score(const Parent& parent, bool full, bool skip_lost) {
    int best = -1;
    double best_score = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < parent.node.num_edges; ++i) {
      const Node* child = parent.child(i);
      if (left_out(child, full, skip_lost)) continue;
      const double score = plain ? plain_score(parent, i, child) : terms(parent, i).score();
      const bool greater = score > best_score;  // hard to foresee: kept free of branches
      best = greater ? i : best;
      best_score = greater ? score : best_score;
    }
    return best;
  }

  static bool left_out(const Node* child, bool full, bool skip_lost) {
    return child ? skip_lost && child->lo == 1 : full;
  }

  // Of the children never visited: fewest descents in flight, then the greatest prior.
  static int untried(const Parent& parent, bool full, bool skip_lost) {
    int best = -1, fewest = 0;
    double best_prior = 0;
    for (int i = 0; i < parent.node.num_edges; ++i) {
      const Node* child = parent.child(i);
      if ((child && child->visits > 0) || left_out(child, full, skip_lost)) continue;
      const int flights = child ? child->in_flight : 0;
      const double prior = parent.prior(i);
      if (best < 0 || flights < fewest || (flights == fewest && prior > best_prior))
        best = i, fewest = flights, best_prior = prior;
    }
    return best;
  }

  // Sequential halving: the best candidate among those with exactly the visits this simulation looks for.
  int halving(const Parent& parent, bool full) {
    const Root& root = *parent.root;
    const Edge* edges = parent.edges;
    const auto relative = [&](int i) {
      const Node* child = parent.child(i);
      return child ? static_cast<int>(child->visits + child->in_flight - root.base[static_cast<std::size_t>(i)]) : 0;
    };
    int simulation = 0;
    for (int i = 0; i < parent.node.num_edges; ++i) simulation += relative(i);
    const auto& sequence = root.visit_sequence;
    const int sought =
        sequence.empty() ? 0 : sequence[std::min(static_cast<std::size_t>(simulation), sequence.size() - 1)];
    gumbel_values(parent.config, parent.tree, sigma_);

    const auto pick = [&](auto&& allowed) {
      int best = -1;
      double best_score = 0;
      for (int i = 0; i < parent.node.num_edges; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if ((full && edges[i].child == kNone) || !allowed(i)) continue;
        const double score = root.gumbel[index] + sigma_[index];
        if (best < 0 || score > best_score) best = i, best_score = score;
      }
      return best;
    };
    const auto alive = [&](int i) { return !lost(parent.config, parent.child(i)); };
    const auto candidate = [&](int i) { return root.candidate[static_cast<std::size_t>(i)] && alive(i); };
    int choice = pick([&](int i) { return candidate(i) && relative(i) == sought; });
    if (choice < 0) choice = pick(candidate);
    if (choice < 0) choice = pick(alive);
    if (choice < 0) choice = pick([](int) { return true; });
    return choice;
  }

  std::shared_ptr<const ExplorationTable> table_;
  std::vector<double> sigma_;
};

}  // namespace tengen
