// Random games of every registered game, through the type-erased interface: what sanitizers should watch.
#include <algorithm>

#include "check.h"
#include "tengen/base/rng.h"
#include "tengen/erased/registry.h"
#include "tengen/games/connect4.h"
#include "tengen/proof/bounds.h"
#include "tengen/proof/labels.h"

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

// Every move after which the opponent cannot win at once, and no other, each once.
void check_safe_moves(const Connect4& state) {
  Action legal[Connect4::kCols], promising[Connect4::kCols], listed[Connect4::kCols];
  const int n = state.legal(legal), m = state.promising(promising);
  CHECK(state.safe(listed) == m);
  int safe = 0;
  for (int i = 0; i < n; ++i) {
    Connect4 next = state;
    next.apply(legal[i]);
    const bool is_safe = next.terminal() || !next.wins_at_once();
    CHECK(std::count(promising, promising + m, legal[i]) == is_safe);
    CHECK(!is_safe || listed[safe] == legal[i]);
    safe += is_safe;
  }
  CHECK(m == safe);
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
        const auto action = legal[rng.below(static_cast<std::uint32_t>(legal.size()))];
        CHECK(state->parse_move(state->move_text(action)) == action);
        state->apply(action);
      }
      CHECK(state->legal().empty());
      CHECK(state->winning_line().empty() || state->outcome() != Outcome::draw);
    }
  }
}

// What SeesWins promises: a win at once is seen exactly where some move wins, and nothing else ends the game early.
TEST(connect4_sees_wins_where_a_move_wins) {
  static_assert(SeesWins<Connect4> && Guides<Connect4>);
  int seen = 0, late = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    Rng rng(2, number, 0, Purpose::rollout);
    Connect4 state(parse_game_id("connect4", {&Connect4::spec()}));
    while (!state.terminal()) {
      Action legal[Connect4::kCols];
      const int n = state.legal(legal);
      bool wins = false;
      for (int i = 0; i < n; ++i) {
        Connect4 next = state;
        next.apply(legal[i]);
        wins |= next.terminal() && next.outcome() == Outcome::loss;
        CHECK(!next.terminal() || next.outcome() == Outcome::loss || next.ply() == next.max_plies());
      }
      CHECK(state.wins_at_once() == wins);
      if (!wins) check_safe_moves(state);
      seen += wins;
      late += state.ply() > 38;
      state.apply(legal[rng.below(static_cast<std::uint32_t>(n))]);
    }
  }
  CHECK(seen > 3000 && late > 0);
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
