// What the rules prove of a position, and how that follows from its moves: section 8 of docs/search.md.
#pragma once

#include <algorithm>

namespace tengen {

// For the side to move: lo ≤ value ≤ hi, each −1, 0 or 1. Equal: the position is *solved*. The plies to the end may be
// known too: then it is *solved with distance*, and a search has nothing left to find there.
struct Bounds {
  static constexpr int kNoDistance = -1;
  int lo = -1, hi = 1, dist = kNoDistance;
  bool solved() const { return lo == hi; }
  bool with_distance() const { return dist != kNoDistance; }  // only what is solved has one
};

// Collects the positions a move away.
class BestOf {
 public:
  void add(const Bounds& child) {
    lo_ = std::max(lo_, -child.hi);
    hi_ = std::max(hi_, -child.lo);
    if (!child.solved()) return;
    if (!child.with_distance()) {
      endless_draw_ = endless_draw_ || child.lo == 0;
      endless_loss_ = endless_loss_ || child.lo == 1;
      return;
    }
    if (child.lo == -1) shortest_win_ = std::min(shortest_win_, child.dist);
    if (child.lo == 0) longest_draw_ = std::max(longest_draw_, child.dist);
    if (child.lo == 1) longest_loss_ = std::max(longest_loss_, child.dist);
  }
  Bounds bounds() const {
    if (lo_ < hi_) return {lo_, hi_};
    if (lo_ == 1) return shortest_win_ < kNoWin ? Bounds{1, 1, 1 + shortest_win_} : Bounds{1, 1};
    if (lo_ == 0) return endless_draw_ ? Bounds{0, 0} : Bounds{0, 0, 1 + longest_draw_};
    return endless_loss_ ? Bounds{-1, -1} : Bounds{-1, -1, 1 + longest_loss_};
  }

 private:
  static constexpr int kNoWin = 0x3fff;
  int lo_ = -1, hi_ = -1;
  int shortest_win_ = kNoWin, longest_draw_ = 0, longest_loss_ = 0;
  bool endless_draw_ = false, endless_loss_ = false;  // one without a distance
};

}  // namespace tengen
