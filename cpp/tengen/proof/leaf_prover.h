// Exhaustive proofs as a search asks for them: of one leaf after the other, few of which can be proven.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tengen/proof/prover.h"

namespace tengen {

// Proofs of the leaves of one game's searches. They have much in common: what one of them found serves the next ones as
// well, as far as its table reaches. Early in a game none can be proven: after some failures a ply is given up, and
// every success buys that many tries more. Small proofs, as in self-play with hundreds of games side by side, are over
// before much of a table has come from memory: they keep little. And most of them fail, each in all its positions, so
// that they are given up sooner: in Connect4 that spares two thirds of the positions and loses a sixth of the proofs.
template <Game G>
class LeafProver {
 public:
  LeafProver(const G& start, int most_positions)
      : most_positions_(most_positions),
        patience_(most_positions < kSmall ? 4 : 16),
        prover_(start,
                Prover<G>::entries_for(std::int64_t{most_positions < kSmall ? 1 : kProofsKept} * most_positions)),
        plies_(static_cast<std::size_t>(start.max_plies() + 1)) {}

  int most_positions() const { return most_positions_; }
  void forget() {
    prover_.forget();
    std::ranges::fill(plies_, Tries{});
  }
  // Not for a finished game.
  Bounds prove(const G& state, bool win_expected, const Stop* stop = nullptr) {
    if (remembers(state)) return {};
    Tries& tries = plies_[static_cast<std::size_t>(state.ply())];
    if (tries.failed >= patience_ * (1 + tries.solved)) return {};
    const Bounds found = prover_.prove(state, -1, most_positions_, win_expected, stop);
    if (!found.solved() && stop && stop->overdue()) return found;  // it had not its chance: no failure
    ++(found.solved() ? tries.solved : tries.failed);
    return found;
  }

 private:
  static constexpr int kSmall = 500, kProofsKept = 16;
  struct Tries {
    int solved = 0, failed = 0;
  };

  int most_positions_, patience_;
  Prover<G> prover_;
  std::vector<Tries> plies_;
};

}  // namespace tengen
