// Where games meet everything else: the list of all games.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tengen/erased/any_game.h"

namespace tengen {

struct Entry {
  const GameSpec* spec;
  std::function<std::unique_ptr<AnyGame>(const GameId&)> make;
};

// Built-in games, then those that were entered since. A copy: games may be entered while somebody reads.
std::vector<Entry> registry();

// The spec must live as long as the process. Throws Error where the name is taken.
struct ForeignSpec;
void enter_game(const ForeignSpec& spec);
// The name is free again; games that were made of it go on.
void leave_game(const ForeignSpec& spec);
Entry foreign_entry(const ForeignSpec& spec);

// "gomoku:6,in_a_row=4" → the game; throws Error.
std::shared_ptr<const AnyGame> make_game(std::string_view id);

}  // namespace tengen
