// Hex against a plain search for a chain, and its edges, swap and texts.
#include <cstdlib>
#include <map>
#include <set>

#include "check.h"
#include "tengen/base/rollout.h"
#include "tengen/games/hex.h"

using namespace tengen;

namespace {

template <int W = 2>
GameId id_of(const char* text) {
  return parse_game_id(text, {&Hex<W>::spec()});
}

Hex<2> position(const char* id, std::string_view text) { return Hex<2>::from_text(id_of(id), text); }

template <int W>
void play(Hex<W>& state, std::initializer_list<const char*> moves) {
  for (const char* text : moves) {
    const auto action = state.parse_move(text);
    CHECK(action && state.is_legal(*action));
    state.apply(*action);
  }
}

bool refused(const char* id, std::string_view text) {
  try {
    position(id, text);
  } catch (const Error&) {
    return true;
  }
  return false;
}

bool touch(int n, int a, int b) {
  const int down = b / n - a / n, right = b % n - a % n;
  return std::abs(down) <= 1 && std::abs(right) <= 1 && down != right;
}

template <int W>
bool connects(const Hex<W>& state, int colour) {
  const int n = state.layout().rows;
  const auto along = [&](int cell) { return colour ? cell % n : cell / n; };
  std::set<int> seen;
  std::vector<int> stack;
  const auto visit = [&](int cell) {
    if (state.stone(cell) == colour + 1 && seen.insert(cell).second) stack.push_back(cell);
  };
  for (int cell = 0; cell < n * n; ++cell)
    if (along(cell) == 0) visit(cell);
  while (!stack.empty()) {
    const int from = stack.back();
    stack.pop_back();
    if (along(from) == n - 1) return true;
    for (int cell = 0; cell < n * n; ++cell)
      if (touch(n, from, cell)) visit(cell);
  }
  return false;
}

template <int W>
void check_line(const Hex<W>& state) {
  const int n = state.layout().rows, winner = 1 - state.to_move();
  const auto line = state.winning_line();
  const auto along = [&](int cell) { return winner ? cell % n : cell / n; };
  CHECK(!line.empty() && along(line.front()) == 0 && along(line.back()) == n - 1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    CHECK(state.stone(line[i]) == winner + 1);
    CHECK(i == 0 || touch(n, line[i - 1], line[i]));
  }
}

template <int W>
void check_random_games(const char* id, std::uint64_t games) {
  std::vector<Action> scratch(400);
  for (std::uint64_t game = 0; game < games; ++game) {
    Rng rng(11, game, 0, Purpose::rollout);
    Hex<W> state(id_of<W>(id));
    while (!state.terminal()) {
      CHECK(state.winning_line().empty());
      state.apply(random_action(state, rng, scratch.data()));
      CHECK(state.terminal() == connects(state, 1 - state.to_move()));
      CHECK(!connects(state, state.to_move()));
    }
    check_line(state);
    CHECK(Hex<W>::from_text(id_of<W>(id), state.position_text()).terminal());
  }
}

std::vector<float> planes(const Hex<2>& state, int s) {
  const int n = state.layout().rows;
  std::vector<float> out(static_cast<std::size_t>(3 * n * n));
  state.encode(s, out.data());
  return out;
}

}  // namespace

TEST(hex_agrees_with_a_search_for_chains) {
  check_random_games<2>("hex:3", 100);
  check_random_games<2>("hex:4,swap=on", 50);
  check_random_games<2>("hex:11", 2);
  check_random_games<6>("hex:3", 20);
  check_random_games<6>("hex:12", 1);
  check_random_games<6>("hex:19", 1);
}

TEST(hex_perft) {
  CHECK(perft(Hex<2>(id_of("hex:9")), 3, PassCounting::ply, false) == 511920);
  CHECK(perft(Hex<2>(id_of("hex:11")), 3, PassCounting::ply, false) == 1727880);
}

TEST(hex_first_player_connects_top_and_bottom) {
  Hex<2> state(id_of("hex:3"));
  play(state, {"c1", "a1", "b2", "a2", "a3"});
  CHECK(state.terminal() && state.outcome() == Outcome::loss && state.to_move() == 1);
  CHECK((state.winning_line() == std::vector{2, 4, 6}));
  state = Hex<2>(id_of("hex:3"));
  play(state, {"a1", "a2", "b1", "b2", "a3", "c2"});
  CHECK(state.terminal() && state.to_move() == 0);
  CHECK((state.winning_line() == std::vector{3, 4, 5}));
}

TEST(hex_rows_do_not_wrap) {
  // c1, then a2: neighbours by number, not on the board. The other diagonal does not touch either.
  CHECK(!position("hex:3", "..X/X.O/X.O O").terminal());
  CHECK(!position("hex:3", "X.O/.XO/..X O").terminal());
  CHECK(!position("hex:3", "XO./X.O/O.X X").terminal());
}

TEST(hex_full_board_has_one_winner) {
  const auto state = position("hex:3", "XOX/OXO/OXX O");
  CHECK(state.terminal() && state.ply() == 9);
  CHECK((state.winning_line() == std::vector{2, 4, 7}));
}

TEST(hex_winning_line_is_shortest) {
  const auto state = position("hex:4", "XXXX/X.OO/XOOO/XO.. O");
  CHECK((state.winning_line() == std::vector{0, 4, 8, 12}));
}

TEST(hex_swap_moves_the_stone_to_the_transposed_cell) {
  Hex<2> state(id_of("hex:3,swap=on"));
  CHECK(!state.is_legal(9));
  play(state, {"b1"});
  CHECK(state.is_legal(9) && state.move_text(9) == "swap" && state.landing_cell(9) == -1);
  const auto before = state.hash(0);
  play(state, {"swap"});
  CHECK(state.position_text() == ".../O../... X");
  CHECK(state.ply() == 2 && !state.is_legal(9) && state.is_legal(1));
  CHECK(state.hash(0) != before);
  CHECK(state.hash(0) == position("hex:3,swap=on", ".../O../... X").hash(0));
  // The swapped stone is joined to O's left edge.
  play(state, {"a1", "b2", "b1", "c2"});
  CHECK(state.terminal() && state.outcome() == Outcome::loss && state.to_move() == 0 && state.ply() == 6);

  Hex<2> plain(id_of("hex:3"));
  play(plain, {"b1"});
  CHECK(!plain.is_legal(9) && plain.num_actions() == 9 && !plain.parse_move("swap"));
}

TEST(hex_swapped_games_may_fill_the_board) {
  const auto state = position("hex:3,swap=on", "OXX/OOO/XXO X");
  CHECK(state.terminal() && state.ply() == 10 && state.max_plies() == 10);
}

TEST(hex_playouts_play_legal_games) {
  for (const bool swap_on : {false, true}) {
    std::vector<Action> scratch(10);
    int swaps = 0;
    for (std::uint64_t game = 0; game < 200; ++game) {
      Rng rng(13, game, 0, Purpose::rollout);
      Hex<2> state(id_of(swap_on ? "hex:3,swap=on" : "hex:3"));
      CHECK(play_out(state, rng, scratch.data()) == state.ply());
      CHECK(connects(state, 1 - state.to_move()) && !connects(state, state.to_move()));
      int stones = 0;
      for (int cell = 0; cell < 9; ++cell) stones += state.stone(cell) != 0;
      CHECK(stones == state.ply() || stones == state.ply() - 1);
      swaps += stones != state.ply();
    }
    CHECK(swap_on ? swaps > 5 && swaps < 60 : swaps == 0);  // one in nine is expected
  }
}

TEST(hex_shows_both_sides_the_same_edges) {
  const auto first = position("hex:3", "X.O/.../... X");
  const auto second = position("hex:3", "O../X../X.. O");
  // O's stone on the left edge is shown to O on the top edge.
  const auto view = planes(second, 0);
  CHECK(view[0] == 1 && view[9 + 1] == 1 && view[9 + 2] == 1);
  CHECK(second.policy_index(0, 1) == 3 && second.policy_index(1, 1) == 5);
  CHECK(first.policy_index(0, 1) == 1 && first.policy_index(1, 1) == 7);
}

TEST(hex_hash_is_equal_exactly_for_equal_planes) {
  std::map<std::vector<float>, std::uint64_t> hash_of;
  std::map<std::uint64_t, std::vector<float>> planes_of;
  std::vector<Action> scratch(10);
  for (std::uint64_t game = 0; game < 300; ++game) {
    Rng rng(5, game, 0, Purpose::rollout);
    for (Hex<2> state(id_of("hex:3,swap=on")); !state.terminal();
         state.apply(random_action(state, rng, scratch.data())))
      for (int s = 0; s < 2; ++s) {
        const auto view = planes(state, s);
        CHECK(hash_of.emplace(view, state.hash(s)).first->second == state.hash(s));
        CHECK(planes_of.emplace(state.hash(s), view).first->second == view);
      }
  }
  CHECK(hash_of.size() > 500);
}

TEST(hex_turned_moves_lead_to_the_turned_position) {
  std::vector<Action> scratch(30);
  for (std::uint64_t game = 0; game < 20; ++game) {
    Rng rng(9, game, 0, Purpose::rollout);
    Hex<2> state(id_of("hex:5,swap=on")), image = state;
    while (!state.terminal()) {
      const Action a = random_action(state, rng, scratch.data());
      CHECK(image.is_legal(state.transform(1, a)));
      image.apply(state.transform(1, a));
      state.apply(a);
      CHECK(image.hash(0) == state.hash(1) && image.hash(1) == state.hash(0));
      CHECK(planes(image, 0) == planes(state, 1));
      CHECK(image.terminal() == state.terminal());
    }
  }
}

TEST(hex_refuses_impossible_positions) {
  CHECK(refused("hex:3", ".../O../... X"));          // swapped, but swap is off
  CHECK(refused("hex:3,swap=on", ".../.../... O"));  // nothing to swap
  CHECK(refused("hex:3,swap=on", "XX./.../... O"));
  CHECK(refused("hex:3", "X../X.O/X.O O x"));
  CHECK(refused("hex:3", "XO./XO./XO. X"));  // X has connected already
  CHECK(!refused("hex:3", "XO./XO./X.. O"));
}
