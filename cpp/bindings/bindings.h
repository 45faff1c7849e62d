#pragma once

#include <nanobind/nanobind.h>

#include "tengen/registry.h"

namespace tengen {

using GamePtr = std::shared_ptr<const AnyGame>;

// What Python calls Game and State: the core's objects, and for a state the game it belongs to.
struct PyGame {
  GamePtr game;
};
struct PyState {
  GamePtr game;
  std::unique_ptr<AnyState> state;
  std::string start = {};  // the position text it was set up from; empty: the start of the game
};

// What asks for evaluations: a batch of searches, or of games that play themselves.
struct PyLeafSource {
  GamePtr game;
  std::unique_ptr<AnySearch> search;
};

void bind_build(nanobind::module_& m);
void bind_config(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_selfplay(nanobind::module_& m);
void bind_solve(nanobind::module_& m);

}  // namespace tengen
