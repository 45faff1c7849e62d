// Forced wins by threats: chains of moves each of which leaves one answer. Section 8.2 of docs/search.md.
#pragma once

#include <vector>

#include "tengen/base/stop.h"
#include "tengen/game.h"
#include "tengen/proof/bounds.h"

namespace tengen {

// Short chains before longer ones. Every answer that does not lose at once is tried, so what is found is proven by the
// laws of `safe` alone, whatever moves `forcing` names. In Gomoku there are few such moves: a hundred positions are a
// chain of six fours or so.
template <Game G>
class ThreatSearch {
 public:
  static constexpr int kLongest = 20;  // threats in a chain

  // Not for a finished game. Two questions, each of which may take so many positions: can the side to move force a win;
  // and if it is left a single move, can the opponent after it?
  Bounds solve(const G& state, int most_positions, const Stop* stop) {
    if constexpr (Forces<G>) {
      if (!only_wins_end(state, 2)) return {};
      if (state.wins_at_once()) return {1, 1, 1};
      if (const Bounds found = attack(state, most_positions, stop); found.solved()) return found;
      const int answers = state.safe(actions_.data());
      if (answers == 0) return {-1, -1, 2};
      if (answers > 1) return {};
      const Bounds found = attack(after(state, actions_.front()), most_positions, stop);
      if (found.solved()) return {-1, -1, found.with_distance() ? found.dist + 1 : Bounds::kNoDistance};
    }
    return {};
  }

  // A win by threats of a side to move that cannot win at once. Every win in three plies begins with a move that leaves
  // no safe answer: so one threat is the shortest way, and two are where one is not enough. A chain of three may be
  // longer than another kind of win.
  Bounds attack(const G& state, int most_positions, const Stop* stop) {
    if constexpr (Forces<G>) {
      if (!only_wins_end(state, 2)) return {};
      actions_.resize(2 * kLongest * static_cast<std::size_t>(state.num_actions()));
      left_ = most_positions;
      stop_ = stop;
      for (int threats = 1; threats <= kLongest; ++threats) {
        longer_ = false;
        if (forces(state, threats, actions_.data()))
          return {1, 1, threats <= 2 ? 2 * threats + 1 : Bounds::kNoDistance};
        if (left_ < 0 || !longer_) break;
      }
    }
    return {};
  }
  Action first() const { return first_; }  // of the chain that `attack` found

 private:
  static G after(const G& state, Action a) {
    G next = state;
    next.apply(a);
    return next;
  }

  bool forces(const G& state, int threats, Action* moves) {
    if (--left_ < 0 || (left_ % kPortion == 0 && stop_ && stop_->overdue())) {
      left_ = -1;
      return false;
    }
    const int n = state.forcing(moves);
    for (int i = 0; i < n; ++i) {
      const G next = after(state, moves[i]);
      Action* const answers = moves + state.num_actions();
      const int open = next.safe(answers);
      bool forced = open == 0;
      if (open == 1 && threats == 1) longer_ = true;
      if (open == 1 && threats > 1) {
        const G then = after(next, answers[0]);
        forced = only_wins_end(then, 2) && forces(then, threats - 1, answers + state.num_actions());
        if (left_ < 0) return false;
      }
      if (forced) {
        first_ = moves[i];  // the outermost move is written last
        return true;
      }
    }
    return false;
  }

  static constexpr int kPortion = 1024;  // positions between two looks at the clock
  std::vector<Action> actions_;          // twice num_actions for each threat
  int left_ = 0;
  Action first_ = 0;
  bool longer_ = false;  // there was more to follow
  const Stop* stop_ = nullptr;
};

}  // namespace tengen
