// Looking ahead: a few plies of full search. Section 8 of docs/search.md.
#pragma once

#include <algorithm>

#include "tengen/base/stop.h"
#include "tengen/game.h"
#include "tengen/proof/bounds.h"

namespace tengen {

// Plies; so far the distances are exact, and further it would take seconds.
constexpr int kMostLookahead = 4;

// The best that a move gives which ends the game, kNoEnd without such a move; and how many moves, at the front of
// `actions`, do not end it. After a win nobody asks for those.
constexpr int kNoEnd = -2;
struct Ends {
  int best = kNoEnd, open = 0;
};
template <Game G>
Ends ends(const G& state, Action* actions) {
  if constexpr (SeesWins<G>)
    if (only_wins_end(state)) return state.wins_at_once() ? Ends{1, 0} : Ends{kNoEnd, state.legal(actions)};
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
    if (plies == 1 && only_wins_end(state)) return state.wins_at_once() ? Bounds{1, 1, 1} : Bounds{};
  BestOf best;
  int open = 0;
  if (only_wins_end(state, 2)) {
    if constexpr (SeesWins<G>) {
      if (state.wins_at_once()) return {1, 1, 1};
      open = state.safe(actions);
      if (open == 0) return {-1, -1, 2};  // what is not safe loses with the next ply, before any other move does
      plies -= plies == 2;
    }
  } else {
    const Ends found = ends(state, actions);
    if (found.best == 1) return {1, 1, 1};
    if (found.best != kNoEnd) best.add({-found.best, -found.best, 0});
    open = found.open;
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
