// Othello against a board of characters walked cell by cell, and the corners of its rules.
#include "check.h"
#include "tengen/base/rollout.h"
#include "tengen/games/othello.h"

using namespace tengen;

namespace {

GameId id_of(const char* text) { return parse_game_id(text, {&Othello::spec()}); }

Othello position(const char* id, std::string_view text) { return Othello::from_text(id_of(id), text); }

void play(Othello& state, std::initializer_list<const char*> moves) {
  for (const char* text : moves) {
    const auto action = state.parse_move(text);
    CHECK(action && state.is_legal(*action));
    state.apply(*action);
  }
}

std::string legal_text(const Othello& state) {
  std::vector<Action> actions(static_cast<std::size_t>(state.num_actions()));
  actions.resize(static_cast<std::size_t>(state.legal(actions.data())));
  std::string out;
  for (const Action a : actions) out += (out.empty() ? "" : " ") + state.move_text(a);
  return out;
}

bool refused(const char* id, const std::string& text) {
  try {
    position(id, text);
  } catch (const Error&) {
    return true;
  }
  return false;
}

// The rules as a beginner would write them.
struct Walked {
  int size;
  std::vector<int> stones;

  explicit Walked(const Othello& state) : size(state.layout().rows) {
    for (int cell = 0; cell < size * size; ++cell) stones.push_back(state.stone(cell));
  }
  std::vector<int> flips(int cell, int colour) const {
    std::vector<int> out;
    if (stones[static_cast<std::size_t>(cell)]) return out;
    for (int down = -1; down <= 1; ++down)
      for (int right = -1; right <= 1; ++right) {
        std::vector<int> ray;
        for (int row = cell / size + down, col = cell % size + right;; row += down, col += right) {
          if (row < 0 || row >= size || col < 0 || col >= size || !stones[static_cast<std::size_t>(row * size + col)]) {
            ray.clear();
            break;
          }
          if (stones[static_cast<std::size_t>(row * size + col)] == colour) break;
          ray.push_back(row * size + col);
        }
        out.insert(out.end(), ray.begin(), ray.end());
      }
    return out;
  }
  bool can_place(int colour) const {
    for (int cell = 0; cell < size * size; ++cell)
      if (!flips(cell, colour).empty()) return true;
    return false;
  }
};

// The position turned on the real board, written as text and read again.
Othello turned(const char* id, const Othello& state, int s) {
  const int cells = state.num_actions() - 1;
  std::vector<int> stones(static_cast<std::size_t>(cells));
  for (int cell = 0; cell < cells; ++cell) stones[state.transform(s, static_cast<Action>(cell))] = state.stone(cell);
  const auto stone = [&](int cell) { return stones[static_cast<std::size_t>(cell)]; };
  return position(id, write_position(state.layout(), stone, state.to_move(), {"ply=" + std::to_string(state.ply())}));
}

std::vector<float> planes(const Othello& state, int s) {
  std::vector<float> out(static_cast<std::size_t>(2 * (state.num_actions() - 1)));
  state.encode(s, out.data());
  return out;
}

}  // namespace

TEST(othello_starts_with_four_moves) {
  CHECK(legal_text(Othello(id_of("othello"))) == "d3 c4 f5 e6");
  CHECK(legal_text(Othello(id_of("othello:6"))) == "c2 b3 e4 d5");
}

// Counts published by A. Bik (passes are plies) and in Egaroucid (passes are free); they part at depth 9.
TEST(othello_perft) {
  const Othello start(id_of("othello"));
  CHECK(perft(start, 8, PassCounting::ply, true) == 390216);
  CHECK(perft(start, 9, PassCounting::ply, true) == 3005288);
  CHECK(perft(start, 9, PassCounting::free, true) == 3005320);
}

TEST(othello_agrees_with_walked_rays) {
  for (const char* id : {"othello", "othello:6"})
    for (std::uint64_t game = 0; game < 60; ++game) {
      Rng rng(7, game, 0, Purpose::rollout);
      for (Othello state(id_of(id)); !state.terminal();) {
        const Walked walked(state);
        const int colour = state.to_move() + 1;
        const auto pass = static_cast<Action>(state.num_actions() - 1);
        for (Action a = 0; a < pass; ++a) CHECK(state.is_legal(a) == !walked.flips(a, colour).empty());
        CHECK(state.is_legal(pass) == (!walked.can_place(colour) && walked.can_place(3 - colour)));
        const Action action = state.sample(rng);
        CHECK(state.is_legal(action));
        auto expected = walked.stones;
        if (action != pass) {
          for (const int cell : walked.flips(action, colour)) expected[static_cast<std::size_t>(cell)] = colour;
          expected[action] = colour;
        }
        state.apply(action);
        const Walked after(state);
        CHECK(after.stones == expected);
        CHECK(state.terminal() == (!after.can_place(1) && !after.can_place(2)));
      }
    }
}

TEST(othello_rays_stop_at_the_edges) {
  // O at the end of one row and the start of the next, X around them: nothing is enclosed.
  const auto state = position("othello", "......../......../......XO/O..OX.../X..XO.../......../......../........ X");
  CHECK(!state.is_legal(*state.parse_move("b4")));
  CHECK(!state.is_legal(*state.parse_move("h2")));
  const auto small = position("othello:6", "....../....XO/O.XX../X.XO../....../...... X");
  CHECK(!small.is_legal(*small.parse_move("b3")));
}

TEST(othello_flips_the_longest_rays) {
  auto state = position("othello", ".OOOOOOX/OO....../O.O...../O..OX.../O..XO.../O....O../O.....O./X......X X");
  play(state, {"a1"});
  CHECK(state.position_text() == "XXXXXXXX/XX....../X.X...../X..XX.../X..XX.../X....X../X.....X./X......X O");
  CHECK(state.terminal() && state.outcome() == Outcome::loss);
}

TEST(othello_shortest_wipe_out) {
  Othello state(id_of("othello"));
  play(state, {"e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"});
  CHECK(state.terminal() && state.ply() == 9 && state.to_move() == 1);
  CHECK(state.outcome() == Outcome::loss);
  CHECK(legal_text(state).empty());
}

TEST(othello_pass_is_forced_and_only_then_legal) {
  auto state = position("othello:6", "OX..../....../..OO../..OO../....../...... O");
  CHECK(legal_text(state) == "c1");
  state = position("othello:6", "OX..../....../..OO../..OO../....../...... X");
  CHECK(legal_text(state) == "pass");
  const auto before = state.board_hash();
  play(state, {"pass"});
  CHECK(state.to_move() == 1 && state.ply() == 3 && state.board_hash() == before);
  CHECK(legal_text(state) == "c1");
  CHECK(state.landing_cell(*state.parse_move("pass")) == -1);
}

TEST(othello_full_board_counts_discs) {
  const std::string half = "XXXXXX/XXXXXX/XXXXXX/OOOOOO/OOOOOO/OOOOO";
  CHECK(position("othello:6", half + "O X").outcome() == Outcome::draw);
  CHECK(position("othello:6", half + "X X").outcome() == Outcome::win);
  CHECK(position("othello:6", half + "X O").outcome() == Outcome::loss);
  CHECK(position("othello:6", half + "X O").terminal());
}

TEST(othello_commutes_with_all_symmetries) {
  for (const char* id : {"othello", "othello:6"}) {
    Rng rng(3);
    for (Othello state(id_of(id)); !state.terminal(); state.apply(state.sample(rng)))
      for (int s = 0; s < kSymmetries; ++s) {
        auto image = turned(id, state, s);
        CHECK(image.hash(0) == state.hash(s));
        CHECK(planes(image, 0) == planes(state, s));
        for (Action a = 0; a < state.num_actions(); ++a)
          CHECK(image.is_legal(state.transform(s, a)) == state.is_legal(a));
        const Action a = state.sample(rng);
        auto next = state;
        next.apply(a);
        image.apply(state.transform(s, a));
        CHECK(image.position_text() == turned(id, next, s).position_text());
      }
  }
}

TEST(othello_refuses_impossible_positions) {
  const std::string start = "....../....../..OX../..XO../....../......";
  CHECK(!refused("othello:6", start + " X"));
  CHECK(!refused("othello:6", start + " X ply=0"));
  for (const char* rest : {"", " O", " X ply=2", " X ply=1", " X ply=-2", " X ply=", " X ply=0x", " X x", " X ply=0 x"})
    CHECK(refused("othello:6", start + rest));
  CHECK(refused("othello:6", "....../....../...X../..XO../....../...... X"));
  CHECK(refused("othello", start + " X"));
}
