// What is proven about a position, and how that follows from its moves: section 8 of docs/search.md.
#pragma once

#include <algorithm>

#include "tengen/game.h"

namespace tengen {

// For the side to move: lo ≤ value ≤ hi, each −1, 0 or 1; plies to the end when they are equal.
struct Bounds {
  int lo = -1, hi = 1, dist = 0;
  bool decided() const { return lo == hi; }
};

// Collects the positions a move away.
class BestOf {
 public:
  void add(const Bounds& child) {
    lo_ = std::max(lo_, -child.hi);
    hi_ = std::max(hi_, -child.lo);
    if (!child.decided()) return;
    if (child.lo == -1) shortest_win_ = std::min(shortest_win_, child.dist);
    if (child.lo == 0) longest_draw_ = std::max(longest_draw_, child.dist);
    if (child.lo == 1) longest_loss_ = std::max(longest_loss_, child.dist);
  }
  Bounds bounds() const {
    if (lo_ < hi_) return {lo_, hi_, 0};
    return {lo_, hi_, 1 + (lo_ == 1 ? shortest_win_ : lo_ == 0 ? longest_draw_ : longest_loss_)};
  }

 private:
  int lo_ = -1, hi_ = -1;
  int shortest_win_ = 0x3ffe, longest_draw_ = 0, longest_loss_ = 0;
};

// What `plies` (1 to 4) plies of full search prove. Moves that end the game are looked at before others are followed,
// so wins are found by their shortest way. `actions` is scratch for num_actions of each ply.
template <Game G>
Bounds look_ahead(const G& state, int plies, Action* actions) {
  const int n = state.legal(actions);
  BestOf best;
  int open = 0;  // moves that do not end the game, kept at the front
  for (int i = 0; i < n; ++i) {
    G next = state;
    next.apply(actions[i]);
    if (!next.terminal()) {
      actions[open++] = actions[i];
      continue;
    }
    const int value = static_cast<int>(next.outcome());
    if (value == -1) return {1, 1, 1};
    best.add({value, value, 0});
  }
  if (plies == 1) {
    if (open > 0) best.add({});
    return best.bounds();
  }
  for (int i = 0; i < open; ++i) {
    G next = state;
    next.apply(actions[i]);
    const Bounds found = look_ahead(next, plies - 1, actions + state.num_actions());
    best.add(found);
    if (found.hi == -1) break;
  }
  return best.bounds();
}

}  // namespace tengen
