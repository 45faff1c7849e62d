// What is proven about a position, and how that follows from its moves: section 8 of docs/search.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "tengen/game.h"

namespace tengen {

// A request to end, made from any thread, with its time.
class Stop {
 public:
  explicit Stop(std::chrono::nanoseconds grace = std::chrono::milliseconds(100)) : grace_(grace.count()) {}
  void request() {
    std::int64_t none = 0;
    at_.compare_exchange_strong(none, now(), std::memory_order_relaxed);  // the first one counts
  }
  void clear() { at_.store(0, std::memory_order_relaxed); }
  bool requested() const { return at_.load(std::memory_order_relaxed) != 0; }
  // Asked inside what takes long: proofs, and plies of full search. They have some time left, so that a search that is
  // stopped now and then, to look at it, finds what it would have found undisturbed.
  bool overdue() const {
    const auto at = at_.load(std::memory_order_relaxed);
    return at != 0 && now() - at >= grace_;
  }

 private:
  static std::int64_t now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::int64_t grace_;               // nanoseconds
  std::atomic<std::int64_t> at_{0};  // 0: none
};

// For the side to move: lo ≤ value ≤ hi, each −1, 0 or 1. When they are equal, the plies to the end may be known too.
struct Bounds {
  int lo = -1, hi = 1, dist = 0;
  bool measured = false;  // is `dist` known?
  bool decided() const { return lo == hi; }
};

// Collects the positions a move away.
class BestOf {
 public:
  void add(const Bounds& child) {
    lo_ = std::max(lo_, -child.hi);
    hi_ = std::max(hi_, -child.lo);
    if (!child.decided()) return;
    if (!child.measured) {
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
    if (lo_ == 1) return shortest_win_ < kNoWin ? Bounds{1, 1, 1 + shortest_win_, true} : Bounds{1, 1};
    if (lo_ == 0) return endless_draw_ ? Bounds{0, 0} : Bounds{0, 0, 1 + longest_draw_, true};
    return endless_loss_ ? Bounds{-1, -1} : Bounds{-1, -1, 1 + longest_loss_, true};
  }

 private:
  static constexpr int kNoWin = 0x1fff;
  int lo_ = -1, hi_ = -1;
  int shortest_win_ = kNoWin, longest_draw_ = 0, longest_loss_ = 0;
  bool endless_draw_ = false, endless_loss_ = false;  // one whose plies are not known
};

// A game that nothing ends but a win, or its very last ply, may offer `wins_at_once()`: can the side to move win with
// its next move? And where it cannot, `safe(Action* out)`: the moves, in the order of `legal`, after which the opponent
// cannot either. That spares trying every move of every position: look_ahead(3) in Connect4 takes less than a quarter
// of the time.
template <class G>
concept SeesWins = requires(const G& position, Action* out) {
  { position.wins_at_once() } -> std::same_as<bool>;
  { position.safe(out) } -> std::same_as<int>;
};
template <Game G>
bool sees_wins(const G& state) {
  return SeesWins<G> && state.ply() + 1 < state.max_plies();
}

// The best that a move gives which ends the game, kNoEnd without such a move; and how many moves, at the front of
// `actions`, do not end it. After a win nobody asks for those.
constexpr int kNoEnd = -2;
struct Ends {
  int best = kNoEnd, open = 0;
};
template <Game G>
Ends ends(const G& state, Action* actions) {
  if constexpr (SeesWins<G>)
    if (sees_wins(state)) return state.wins_at_once() ? Ends{1, 0} : Ends{kNoEnd, state.legal(actions)};
  Ends found;
  const int n = state.legal(actions);
  for (int i = 0; i < n && found.best < 1; ++i) {
    G next = state;
    next.apply(actions[i]);
    if (next.terminal())
      found.best = std::max(found.best, -static_cast<int>(next.outcome()));
    else
      actions[found.open++] = actions[i];
  }
  return found;
}

// What `plies` (1 to 4) plies of full search prove. Moves that end the game are looked at before others are followed,
// so wins are found by their shortest way. `actions` is scratch for num_actions of each ply. Once `stop` is overdue,
// moves that were not followed count as unknown.
template <Game G>
Bounds look_ahead(const G& state, int plies, Action* actions, const Stop* stop = nullptr) {
  if constexpr (SeesWins<G>)
    if (plies == 1 && sees_wins(state)) return state.wins_at_once() ? Bounds{1, 1, 1, true} : Bounds{};
  auto [end, open] = ends(state, actions);
  if (end == 1) return {1, 1, 1, true};
  BestOf best;
  if (end != kNoEnd) best.add({-end, -end, 0, true});
  if constexpr (SeesWins<G>)
    if (plies > 1 && state.ply() + 2 < state.max_plies()) {  // then what is not safe loses with the next ply
      const int safe = state.safe(actions);
      if (safe < open) best.add({1, 1, 1, true});
      open = safe, plies -= plies == 2;
    }
  if (plies == 1) {
    if (open > 0) best.add({});
    return best.bounds();
  }
  for (int i = 0; i < open; ++i) {
    if (stop && stop->overdue()) {
      best.add({});
      break;
    }
    G next = state;
    next.apply(actions[i]);
    const Bounds found = look_ahead(next, plies - 1, actions + state.num_actions(), stop);
    best.add(found);
    if (found.hi == -1) break;
  }
  return best.bounds();
}

}  // namespace tengen
