#include "tengen/erased/registry.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "tengen/erased/foreign.h"

namespace tengen {

Entry tictactoe_entry();
Entry connect4_entry();
Entry gomoku_entry();
Entry othello_entry();
Entry go_entry();
Entry hex_entry();

namespace {

struct Registry {
  std::shared_mutex mutex;
  // clang-format off
  std::vector<Entry> entries{
      tictactoe_entry(),
      connect4_entry(),
      gomoku_entry(),
      othello_entry(),
      go_entry(),
      hex_entry(),
  };
  // clang-format on
};
Registry& all() {
  static auto& made = *new Registry;  // never freed: games may outlive everything else
  return made;
}

}  // namespace

std::vector<Entry> registry() {
  const std::shared_lock lock(all().mutex);
  return all().entries;
}

void enter_game(const ForeignSpec& spec) {
  const std::unique_lock lock(all().mutex);
  for (const Entry& entry : all().entries)
    if (entry.spec->name == spec.name) throw Error("there is a game named " + std::string(spec.name) + " already");
  all().entries.push_back(foreign_entry(spec));
}

void leave_game(const ForeignSpec& spec) {
  const std::unique_lock lock(all().mutex);
  std::erase_if(all().entries, [&](const Entry& entry) { return entry.spec == &spec; });
}

std::shared_ptr<const AnyGame> make_game(std::string_view text) {
  std::vector<const GameSpec*> specs;
  const auto entries = registry();
  for (const auto& entry : entries) specs.push_back(entry.spec);
  const GameId id = parse_game_id(text, specs);
  return std::ranges::find(entries, id.spec, &Entry::spec)->make(id);
}

}  // namespace tengen
