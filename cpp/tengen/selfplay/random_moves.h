// The random moves of a game of self-play, at its start and on the way: a function of the rules, the seed and the
// game's number alone, so that whoever receives a game can check them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tengen/base/rng.h"
#include "tengen/game.h"
#include "tengen/proof/lookahead.h"
#include "tengen/selfplay/config.h"

namespace tengen {

// Draws before an opening is taken as it is. Of Connect4's openings of 20 plies one in seven is unsolved four plies
// on.
constexpr int kOpeningDraws = 64;

// `plies` random moves, or fewer: an opening leaves something to play.
template <Game G>
std::vector<Action> random_moves(G& state, int plies, Rng& rng) {
  std::vector<Action> moves, legal(static_cast<std::size_t>(state.num_actions()));
  for (int i = 0; i < plies; ++i) {
    G next = state;
    const int n = state.legal(legal.data());
    const Action a = legal[rng.below(static_cast<std::uint32_t>(n))];
    next.apply(a);
    if (next.terminal()) break;
    state = next;
    moves.push_back(a);
  }
  return moves;
}

// Is there nothing left to learn from playing on? `scratch` is for `plies` times num_actions.
template <Game G>
bool solved_within(const G& state, int plies, Action* scratch) {
  return plies > 0 && look_ahead(state, plies, scratch).solved();
}

// A game that is solved before its first search teaches little, and random moves decide most games early. So openings
// are drawn again, at the same length, until the game does not end, and is not proven, within opening_lookahead plies.
template <Game G>
std::vector<Action> draw_opening(const G& start, const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t game) {
  Rng rng(seed, game, 0, Purpose::opening);
  if (rng.uniform() >= config.opening_share) return {};
  const int plies = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(config.opening_plies)));
  std::vector<Action> scratch(static_cast<std::size_t>(config.opening_lookahead * start.num_actions()));
  for (int draw = 1;; ++draw) {
    G state = start;
    std::vector<Action> moves = random_moves(state, plies, rng);
    if (config.opening_lookahead == 0 || draw == kOpeningDraws) return moves;
    const bool whole = static_cast<int>(moves.size()) == plies;
    if (whole && !solved_within(state, config.opening_lookahead, scratch.data())) return moves;
  }
}

// Two good players see only a narrow part of a game, while a search looks at moves of all kinds. So now and then a
// random move is played where one would be searched, unless it decides the game: the positions after it are of a kind
// that a search must judge. Nothing if the move at this position is to be searched.
template <Game G>
std::optional<Action> draw_stray(const G& state, const SelfPlayConfig& config, std::uint64_t seed, std::uint64_t game) {
  Rng rng(seed, game, static_cast<std::uint64_t>(state.ply()), Purpose::stray);
  if (rng.uniform() >= config.stray_share) return {};
  std::vector<Action> scratch(static_cast<std::size_t>((1 + config.opening_lookahead) * state.num_actions()));
  const int n = state.legal(scratch.data());
  const Action a = scratch[rng.below(static_cast<std::uint32_t>(n))];
  G next = state;
  next.apply(a);
  if (next.terminal() || solved_within(next, config.opening_lookahead, scratch.data())) return {};
  return a;
}

// Which moves of a game had to be random: the action there, nothing where it was searched. The moves must be legal.
template <Game G>
std::vector<std::optional<Action>> random_plies(const G& start, const SelfPlayConfig& config, std::uint64_t seed,
                                                std::uint64_t game, std::span<const Action> moves) {
  std::vector<std::optional<Action>> planned;
  for (const Action a : draw_opening(start, config, seed, game)) planned.emplace_back(a);
  const std::size_t opening = planned.size();
  planned.resize(moves.size());
  G state = start;
  for (std::size_t ply = 0; ply < moves.size(); ++ply) {
    if (ply > opening) planned[ply] = draw_stray(state, config, seed, game);
    state.apply(moves[ply]);
  }
  return planned;
}

}  // namespace tengen
