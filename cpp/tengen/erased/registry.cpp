#include "tengen/erased/registry.h"

#include <algorithm>

namespace tengen {

Entry tictactoe_entry();
Entry connect4_entry();
Entry gomoku_entry();
Entry othello_entry();
Entry go_entry();
Entry hex_entry();

const std::vector<Entry>& registry() {
  // clang-format off
  static const std::vector<Entry> entries{
      tictactoe_entry(),
      connect4_entry(),
      gomoku_entry(),
      othello_entry(),
      go_entry(),
      hex_entry(),
  };
  // clang-format on
  return entries;
}

std::shared_ptr<const AnyGame> make_game(std::string_view text) {
  std::vector<const GameSpec*> specs;
  for (const auto& entry : registry()) specs.push_back(entry.spec);
  const GameId id = parse_game_id(text, specs);
  return std::ranges::find(registry(), id.spec, &Entry::spec)->make(id);
}

}  // namespace tengen
