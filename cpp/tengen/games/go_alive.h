// Is a game of Go decided, point by point? Every chain must be unconditionally alive (D. B. Benson, *Life in the game
// of Go*, Information Sciences 10, 1976), and every empty point inside one colour's own area.
//
// Benson: a region is *vital* to a chain if all its empty points are liberties of the chain. A set of chains of one
// colour, each of which has two vital regions that only chains of the set enclose, cannot be captured even if its owner
// always passes. Here the set is all chains of the board, and every empty region touches one colour only. Then no vital
// region holds a stone: that stone would have no liberty. So one look at the empty regions is enough, and nothing has
// to be repeated.
//
//   . X . X     two regions of one point, both vital to the only chain: alive
//   X X X X
//
// The opponent may still play inside an empty region. There its stones die if they cannot get two eyes: an eye needs a
// point that touches none of the owner's stones, and a region may have one such point at most. The owner must be able
// to capture those stones, which superko could forbid only on a point where a stone of the owner was captured before:
// a region with such a point is settled only if it is too small to be entered.
#pragma once

#include "tengen/games/go_board.h"

namespace tengen {

// One empty region: whom it touches, and which chains have it as an eye.
template <int N>
class GoRegion {
 public:
  using Board = GoBoard<N>;

  GoRegion(const Board& board, int first, typename Board::Points& seen) : board_(board) {
    add(first, seen);
    for (int i = 0; i < size_; ++i)
      for (const int step : Board::kNeighbours)
        if (const int q = points_[i] + step; board.colour(q) == Board::kEmpty && !seen.test(q)) add(q, seen);
  }

  bool settled() const {
    if ((touches_ != 1 && touches_ != 2) || inner_ > 1) return false;
    if (size_ == 1) return true;
    for (int i = 0; i < size_; ++i)
      if (board_.captured(touches_ - 1).test(points_[i])) return false;
    return true;
  }

  // Calls f with every chain that has all points of the region as liberties.
  template <class F>
  void for_each_vital(F&& f) const {
    std::array<int, 4> named;
    int count = 0;
    for (const int step : Board::kNeighbours) {
      const int q = points_[0] + step;
      if (board_.colour(q) >= Board::kEmpty) continue;
      const int chain = board_.chain(q);
      bool vital = std::find(named.begin(), named.begin() + count, chain) == named.begin() + count;
      for (int i = 1; i < size_ && vital; ++i) vital = touches(points_[i], chain);
      if (!vital) continue;
      named[count++] = chain;
      f(chain);
    }
  }

 private:
  bool touches(int p, int chain) const {
    for (const int step : Board::kNeighbours)
      if (board_.colour(p + step) < Board::kEmpty && board_.chain(p + step) == chain) return true;
    return false;
  }
  void add(int p, typename Board::Points& seen) {
    seen.set(p);
    points_[size_++] = static_cast<typename Board::Point>(p);
    const int touched = board_.touched(p);
    touches_ |= touched;
    inner_ += touched == 0;
  }

  const Board& board_;
  std::array<typename Board::Point, N * N> points_;
  int size_ = 0, touches_ = 0;
  int inner_ = 0;  // points that touch no stone
};

// Most positions of a game are sent away by the first loop, after a look at a few points: every inner point needs two
// others of its region around it.
template <int N>
bool all_settled(const GoBoard<N>& board) {
  for (int i = 0, inner = 0; i < board.num_empty(); ++i) {
    const int touched = board.touched(board.empty(i));
    if (touched == 3 || (touched == 0 && 3 * ++inner > board.num_empty())) return false;
  }
  typename GoBoard<N>::Points seen;
  std::array<std::uint8_t, GoBoard<N>::kPoints> eyes{};  // of a chain, up to two
  for (int i = 0; i < board.num_empty(); ++i) {
    if (seen.test(board.empty(i))) continue;
    const GoRegion<N> region(board, board.empty(i), seen);
    if (!region.settled()) return false;
    region.for_each_vital([&](int chain) { eyes[chain] = static_cast<std::uint8_t>(eyes[chain] + (eyes[chain] < 2)); });
  }
  bool alive = true;
  board.for_each_chain([&](int chain, int) { alive &= eyes[chain] == 2; });
  return alive;
}

}  // namespace tengen
