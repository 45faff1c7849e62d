// Random games of every registered game, through the type-erased interface: what sanitizers should watch.
#include <algorithm>

#include "check.h"
#include "tengen/base/rng.h"
#include "tengen/erased/registry.h"

using namespace tengen;

namespace {

// Every game at its default size, its smallest and its largest.
std::vector<std::string> sample_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : registry()) {
    const std::string name(entry.spec->name);
    ids.push_back(name);
    if (entry.spec->sizes.empty()) continue;
    ids.push_back(name + ":" + std::to_string(entry.spec->sizes.front()));
    ids.push_back(name + ":" + std::to_string(entry.spec->sizes.back()));
  }
  return ids;
}

}  // namespace

TEST(random_games_keep_the_laws) {
  for (const auto& id : sample_ids()) {
    const auto game = make_game(id);
    const auto layout = game->layout();
    std::vector<float> planes(static_cast<std::size_t>(game->num_planes() * layout.rows * layout.cols));
    for (std::uint64_t number = 0; number < 3; ++number) {
      Rng rng(1, number, 0, Purpose::rollout);
      auto state = game->initial();
      while (!state->terminal()) {
        const auto legal = state->legal();
        CHECK(!legal.empty());
        CHECK(state->ply() < game->max_plies());
        const int symmetry = static_cast<int>(rng.below(static_cast<std::uint32_t>(game->num_symmetries())));
        state->encode(symmetry, planes.data());
        const auto again = game->from_text(state->position_text());
        CHECK(again->hash(symmetry) == state->hash(symmetry));
        CHECK(again->legal() == legal);
        CHECK(state->is_legal(state->sample(rng).value_or(legal.front())));
        if (!state->wins_at_once().value_or(true)) CHECK(state->safe()->size() <= legal.size());
        if (!state->wins_at_once().value_or(true)) state->promising(), state->forcing();
        const auto action = legal[rng.below(static_cast<std::uint32_t>(legal.size()))];
        CHECK(state->parse_move(state->move_text(action)) == action);
        state->apply(action);
      }
      CHECK(state->legal().empty());
      CHECK(state->winning_line().empty() || state->outcome() != Outcome::draw);
    }
  }
}

TEST(wrong_ids_are_refused) {
  for (const char* id : {"", "chess", "connect4:7", "connect4,x=1", "connect4,", "tictactoe:", ":"}) {
    bool refused = false;
    try {
      make_game(id);
    } catch (const Error&) {
      refused = true;
    }
    CHECK(refused);
  }
}
