// The one thing a search asks the rules: what is proven of this position? As engines ask a table of endgames at a node
// and get bounds. What stands behind the question is this room's own affair: looking ahead, forced wins by
// threats and exhaustive proofs today, an exact solver could be another. Section 8 of docs/search.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tengen/proof/leaf_prover.h"
#include "tengen/proof/lookahead.h"
#include "tengen/proof/threats.h"

namespace tengen {

// One for each game that is searched: what a proof found out serves the next ones as well.
template <Game G>
class Probe {
 public:
  explicit Probe(const G& start) : actions_(kMostLookahead * static_cast<std::size_t>(start.num_actions())) {}

  // What a question may cost: plies of full search at a new position; positions of a proof after its evaluation; and
  // positions of chains of threats, at a new one too. 0: it is not asked.
  void limit(int lookahead, int positions, int threats) {
    lookahead_ = lookahead;
    positions_ = positions;
    threats_ = threats;
  }
  bool proves() const { return positions_ > 0; }
  // Looked at inside all, which may take seconds. What they have not found out by then counts as unknown.
  void heed(const Stop& stop) { stop_ = &stop; }
  // As for the first position of a new game.
  void forget() {
    if (prover_) prover_->forget();
  }

  // Not for a finished game. `expected` is the hint: nothing where the position is new, so that a cheap answer may
  // spare its evaluation; after that the value which the network expects. Proofs and long chains give no distance.
  Bounds operator()(const G& state, std::optional<double> expected) {
    if (!expected) {
      if constexpr (Settles<G>)
        if (state.settled()) return as_it_stands(state);
      Bounds found;
      if (lookahead_ > 0) found = look_ahead(state, lookahead_, actions_.data(), stop_);
      if (!found.solved() && threats_ > 0) found = chains_.solve(state, threats_, stop_);
      return found;
    }
    if (!proves()) return {};
    if (!prover_ || prover_->most_positions() != positions_)
      prover_ = std::make_unique<LeafProver<G>>(state, positions_);
    return prover_->prove(state, *expected > 0, stop_);
  }
  // A move that wins, if it is cheap to see: one that wins at once, or else the first of a chain of threats.
  std::optional<Action> win(const G& state) {
    if (lookahead_ == 0 && threats_ == 0) return {};
    const int n = state.legal(actions_.data());
    for (int i = 0; i < n; ++i) {
      G next = state;
      next.apply(actions_[static_cast<std::size_t>(i)]);
      if (next.terminal() && next.outcome() == Outcome::loss) return actions_[static_cast<std::size_t>(i)];
    }
    if (threats_ > 0 && chains_.attack(state, threats_, stop_).solved()) return chains_.first();
    return {};
  }

 private:
  // Whoever is ahead can keep it, but the other side may go on playing: no distance.
  static Bounds as_it_stands(const G& state) {
    const int value = state.to_move() == 0 ? leader(state) : -leader(state);
    return {value, value};
  }

  int lookahead_ = 0, positions_ = 0, threats_ = 0;
  const Stop* stop_ = nullptr;
  std::vector<Action> actions_;  // scratch, num_actions for each ply
  ThreatSearch<G> chains_;
  std::unique_ptr<LeafProver<G>> prover_;
};

}  // namespace tengen
