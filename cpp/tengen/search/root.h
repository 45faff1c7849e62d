// What happens at the root only: its randomness, and what a finished search answers (sections 5 and 6 of
// docs/search.md).
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tengen/base/draws.h"
#include "tengen/base/elementary.h"
#include "tengen/search/backup.h"

namespace tengen {

// The numbers a search draws are named by these and a purpose.
struct StreamName {
  std::uint64_t seed, game, ply;
  Rng stream(Purpose purpose) const { return Rng(seed, game, ply, purpose); }
};

// As in KataGo: one move in 361 gets 0.03, as AlphaZero gave it in Go (arXiv:1902.10565).
constexpr double kNoiseTotal = 10.83;
// Moves that a Gumbel root considers, as in the paper (Danihelka and others, ICLR 2022).
constexpr int kGumbelMoves = 16;

// mctx's schedule of sequential halving: which visit number each of `simulations` simulations looks for.
inline std::vector<int> halving_sequence(int considered, int simulations) {
  const auto length = static_cast<std::size_t>(std::max(simulations, 0));
  std::vector<int> sequence;
  if (considered <= 1) {
    sequence.resize(length);
    std::iota(sequence.begin(), sequence.end(), 0);
    return sequence;
  }
  int phases = 0;
  while ((1 << phases) < considered) ++phases;
  std::vector<int> visits(static_cast<std::size_t>(considered), 0);
  while (sequence.size() < length) {
    const int extra = std::max(1, simulations / (phases * considered));
    for (int round = 0; round < extra && sequence.size() < length; ++round)
      for (int i = 0; i < considered; ++i) sequence.push_back(visits[static_cast<std::size_t>(i)]++);
    considered = std::max(2, considered / 2);
  }
  sequence.resize(length);
  return sequence;
}

// Draws the randomness of a new root anew, whether it is fresh or was a node of the tree before.
inline void renew_root(const SearchConfig& config, const Tree& tree, const StreamName& name, Root& root) {
  const Node& node = tree.root();
  const Edge* edges = tree.edges(node);
  const int n = node.num_edges;
  const auto size = static_cast<std::size_t>(n);
  root.noise.clear();
  root.gumbel.clear();
  root.base.assign(size, 0);
  for (int i = 0; i < n; ++i)
    if (edges[i].child != kNone) root.base[static_cast<std::size_t>(i)] = tree.node(edges[i].child).visits;
  if (config.rule != Rule::gumbel) {
    if (config.noise_epsilon == 0) return;
    root.noise.resize(size);
    Rng rng = name.stream(Purpose::noise);
    dirichlet(rng, config.noise_alpha > 0 ? config.noise_alpha : kNoiseTotal / n, root.noise.data(), n);
    return;
  }
  Rng rng = name.stream(Purpose::gumbel);
  for (int i = 0; i < n; ++i) root.gumbel.push_back(gumbel(rng) + gumbel_logit(edges[i].prior));
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](int i) { return root.gumbel[static_cast<std::size_t>(i)]; });
  const int considered = std::min(kGumbelMoves, n);
  root.candidate.assign(size, false);
  for (int i = 0; i < considered; ++i)
    root.candidate[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  const auto inherited = std::accumulate(root.base.begin(), root.base.end(), std::int64_t{0});
  root.visit_sequence = halving_sequence(considered, static_cast<int>(config.sims - inherited));
}

// Reads a finished (or interrupted) search. The root must be expanded.
class Answer {
 public:
  Answer(const SearchConfig& config, const Tree& tree, const Root& root)
      : config_(config), tree_(tree), root_(root), parent_(config, tree, 0, &root), n_(tree.root().num_edges) {
    if (config.rule == Rule::gumbel) gumbel_values(config, tree, sigma_);
  }

  // Index of the edge to play when nothing is left to chance.
  int best() const {
    const Node& root = tree_.root();
    if (solved_with_distance(config_, root) && root.lo != 0) {
      int best = -1;
      for (int i = 0; i < n_; ++i) {
        const Node* child = node(i);
        if (!child || !child->with_distance() || child->lo != -root.lo) continue;
        if (best < 0 || (root.lo > 0 ? child->dist() < node(best)->dist() : child->dist() > node(best)->dist()))
          best = i;
      }
      return best;
    }
    if (config_.rule == Rule::gumbel) return best_gumbel();
    return most_visited();
  }

  int choose(int ply, Rng rng) const {
    const double temperature = ply < config_.temperature_plies ? config_.temperature : config_.temperature_end;
    const Node& root = tree_.root();
    if (temperature < 1e-6 || (solved_with_distance(config_, root) && root.lo != 0)) return best();
    std::vector<double> weights = visits_or_priors([this](int i) { return eligible(i); });
    temper(weights, temperature);
    const double u = rng.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    int last = 0;
    for (int i = 0; i < n_; ++i) {
      const double w = weights[static_cast<std::size_t>(i)];
      if (w <= 0) continue;
      sum += w;
      last = i;
      if (u < sum) break;
    }
    return last;
  }

  // The training target over the root's edges.
  std::vector<double> target() const {
    const Node& root = tree_.root();
    if (solved_with_distance(config_, root) && root.lo == 1) {
      std::vector<double> one_hot(static_cast<std::size_t>(n_), 0.0);
      one_hot[static_cast<std::size_t>(best())] = 1;
      return one_hot;
    }
    std::vector<double> weights =
        config_.rule == Rule::gumbel ? gumbel_policy() : visits_or_priors([](int) { return true; });
    bool other = false;
    for (int i = 0; i < n_; ++i) other = other || (!lost(config_, node(i)) && weights[static_cast<std::size_t>(i)] > 0);
    for (int i = 0; i < n_ && other; ++i)
      if (lost(config_, node(i))) weights[static_cast<std::size_t>(i)] = 0;
    normalise(weights);
    return weights;
  }

  // What the position is worth to the side to move: what was proven, or what its target, played as a policy, would get.
  // The mean of all simulations is something else: sequential halving gives most of them to moves that it then drops.
  // In Connect4 (128 simulations, 1024 random positions) its squared error was 0.30, of this value 0.15.
  Value worth() const {
    const Node& root = tree_.root();
    if (solved_with_distance(config_, root)) return solved_value(root.lo, root.dist());
    const std::vector<double> weights = target();
    double total = 0;
    Value sum{0, 0, 0};
    for (int i = 0; i < n_; ++i) {
      if (visits(i) == 0) continue;
      const double w = weights[static_cast<std::size_t>(i)];
      const Reading r = read(config_, *node(i));
      total += w;
      sum.v += w * r.q;
      sum.d += w * (solved(config_, *node(i)) ? (node(i)->lo == 0 ? 1.0 : 0.0) : node(i)->d);
      sum.m += w * r.m;
    }
    if (total == 0) return {root.q, root.d, root.m};
    return {-(sum.v / total * config_.discount), sum.d / total, 1 + sum.m / total};
  }

 private:
  const Node* node(int i) const { return parent_.child(i); }
  std::uint32_t visits(int i) const { return node(i) ? node(i)->visits : 0; }
  double value(int i) const { return visits(i) > 0 ? -read(config_, *node(i)).q : 0; }

  // Not proven lost, or all are.
  bool alive(int i) const {
    if (!lost(config_, node(i))) return true;
    for (int j = 0; j < n_; ++j)
      if (!lost(config_, node(j))) return false;
    return true;
  }
  // May this move be played? Where the root is solved, only moves that are proven to keep its value.
  bool eligible(int i) const {
    const Node& root = tree_.root();
    if (solved(config_, root)) return node(i) && node(i)->solved() && node(i)->lo == -root.lo;
    return alive(i);
  }

  // Most visits, then value, then prior, then the lowest index.
  bool better(int a, int b) const {
    if (visits(a) != visits(b)) return visits(a) > visits(b);
    if (value(a) != value(b)) return value(a) > value(b);
    return tree_.edges(tree_.root())[a].prior > tree_.edges(tree_.root())[b].prior;
  }
  int most_visited() const {
    int best = -1;
    for (int i = 0; i < n_; ++i)
      if (eligible(i) && (best < 0 || better(i, best))) best = i;
    return best;
  }

  double gumbel_score(int i) const {
    const auto index = static_cast<std::size_t>(i);
    return root_.gumbel[index] + sigma_[index];
  }
  int best_gumbel() const {
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      if (!eligible(i)) continue;
      const bool wins =
          best < 0 || visits(i) > visits(best) || (visits(i) == visits(best) && gumbel_score(i) > gumbel_score(best));
      if (wins) best = i;
    }
    return best;
  }
  std::vector<double> gumbel_policy() const {
    std::vector<double> out(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i)
      out[static_cast<std::size_t>(i)] =
          gumbel_logit(tree_.edges(tree_.root())[i].prior) + sigma_[static_cast<std::size_t>(i)];
    const double most = *std::ranges::max_element(out);
    for (double& w : out) w = elementary::exp(w - most);
    normalise(out);
    return out;
  }

  // Weights over the moves that `allowed` lets through: visits, or priors when none of them has any.
  template <class Allowed>
  std::vector<double> visits_or_priors(Allowed&& allowed) const {
    std::vector<double> out(static_cast<std::size_t>(n_), 0.0);
    const auto fill = [&](auto&& weight) {
      double total = 0;
      for (int i = 0; i < n_; ++i)
        if (allowed(i)) total += out[static_cast<std::size_t>(i)] = weight(i);
      return total;
    };
    if (fill([this](int i) { return static_cast<double>(visits(i)); }) == 0)
      fill([this](int i) { return tree_.edges(tree_.root())[i].prior; });
    return out;
  }

  static void normalise(std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= sum;
  }

  // w ← (w / max)^(1/T), through logarithms, so that no visit count overflows.
  static void temper(std::vector<double>& weights, double temperature) {
    const double most = elementary::log(*std::ranges::max_element(weights));
    for (double& w : weights) w = w > 0 ? elementary::exp((elementary::log(w) - most) / temperature) : 0;
  }

  const SearchConfig& config_;
  const Tree& tree_;
  const Root& root_;
  Parent parent_;
  int n_;
  std::vector<double> sigma_;
};

}  // namespace tengen
