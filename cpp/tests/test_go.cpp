// Go's rules on drawn boards. Coordinates: a1 is the lowest left point, rows are drawn from the top.
#include "check.h"
#include "tengen/base/rollout.h"
#include "tengen/games/go.h"

using namespace tengen;

namespace {

using Rows = std::vector<std::string>;

GameId go_id(std::string_view text) { return parse_game_id(text, {&Go<9>::spec()}); }

Go<9> start(std::string_view id) { return Go<9>(go_id(id)); }

// A square board drawn row by row, then the side to move and further words.
Go<9> set_up(const Rows& rows, const std::string& side, const std::string& komi = "6.5") {
  std::string board;
  for (const auto& row : rows) board += (board.empty() ? "" : "/") + row;
  return Go<9>::from_text(go_id("go:" + std::to_string(rows.size()) + ",komi=" + komi), board + " " + side);
}

Rows drawn(const Go<9>& state) {
  const int size = state.layout().rows;
  Rows rows(static_cast<std::size_t>(size));
  for (int cell = 0; cell < size * size; ++cell)
    rows[static_cast<std::size_t>(cell / size)] += ".XO"[state.stone(cell)];
  return rows;
}

template <class State>
bool can(const State& state, std::string_view move) {
  return state.is_legal(*state.parse_move(move));
}

template <class State>
void play(State& state, std::initializer_list<std::string_view> moves) {
  for (const auto move : moves) {
    CHECK(can(state, move));
    state.apply(*state.parse_move(move));
  }
}

bool has_area(const Go<9>& state, int black, int white) {
  return state.area().black == black && state.area().white == white;
}

bool refused(std::string_view id, std::string_view position) {
  try {
    Go<9>::from_text(go_id(id), position);
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(go_ko_may_not_be_retaken_at_once) {
  auto state = set_up({".XO.",  //
                       "XO.O",  //
                       ".XO.",  //
                       "...."},
                      "X");
  play(state, {"c3"});
  CHECK((drawn(state) == Rows{".XO.", "X.XO", ".XO.", "...."}));
  CHECK(!can(state, "b3"));
  CHECK(can(state, "pass"));
  auto after_passes = state;
  play(after_passes, {"pass"});
  CHECK(can(after_passes, "d1"));
  play(state, {"a1", "d1"});
  CHECK(can(state, "b3"));
}

TEST(go_superko_forbids_send_two_return_one) {
  // Positional superko: the repeated board had the other side to move.
  auto state = set_up({".X.X.",  //
                       "OOX..",  //
                       ".....",  //
                       ".....",  //
                       "....."},
                      "X");
  const auto before = state.board_hash();
  play(state, {"a5", "c5"});
  CHECK((drawn(state) == Rows{"..OX.", "OOX..", ".....", ".....", "....."}));
  CHECK(!can(state, "b5"));
  CHECK(can(state, "a5"));
  play(state, {"e1", "a1"});
  CHECK(can(state, "b5"));
  play(state, {"b5"});
  CHECK(state.board_hash() != before);
}

TEST(go_superko_forbids_the_sixth_move_of_a_triple_ko) {
  auto state = set_up({".XO......",  //
                       "XO.O.....",  // Black can take at c8
                       ".XO......",  //
                       ".XO......",  //
                       "X.XO.....",  // White can take at b5
                       ".XO......",  //
                       ".XO......",  //
                       "XO.O.....",  // Black can take at c2
                       ".XO......"},
                      "X");
  play(state, {"c8", "b5", "c2", "b8", "c5"});
  CHECK(!can(state, "b2"));
  CHECK(can(state, "j9"));
  play(state, {"j9", "j1"});
  CHECK(can(state, "b2"));
}

TEST(go_snapback) {
  auto state = set_up({"..OX.",  //
                       "OOOX.",  //
                       "XXX..",  //
                       ".....",  //
                       "....."},
                      "X");
  play(state, {"a5", "b5"});
  CHECK((drawn(state) == Rows{".OOX.", "OOOX.", "XXX..", ".....", "....."}));
  play(state, {"a5"});
  CHECK((drawn(state) == Rows{"X..X.", "...X.", "XXX..", ".....", "....."}));
}

TEST(go_one_stone_captures_four_chains) {
  const Rows cross{"..X..",  //
                   ".XOX.",  //
                   "XO.OX",  //
                   ".XOX.",  //
                   "..X.."};
  auto state = set_up(cross, "X");
  play(state, {"c3"});
  CHECK((drawn(state) == Rows{"..X..", ".X.X.", "X.X.X", ".X.X.", "..X.."}));
  // For White the same point joins four stones without a liberty.
  CHECK(!can(set_up(cross, "O"), "c3"));
}

TEST(go_capture_hits_a_chain_that_touches_the_stone_twice) {
  auto state = set_up({".OX",  //
                       "OOX",  //
                       "XX."},
                      "X");
  play(state, {"a3"});
  CHECK((drawn(state) == Rows{"X.X", "..X", "XX."}));
  // The emptied points are liberties again for everyone around them.
  CHECK(can(state, "b3") && can(state, "b2") && can(state, "a2") && !can(state, "c1"));
}

TEST(go_suicide_is_illegal) {
  const auto single = set_up({".XX",  //
                              "XX.",  //
                              "..."},
                             "O");
  CHECK(!can(single, "a3"));
  const auto several = set_up({".OX.",  //
                               "OOX.",  //
                               "XX..",  //
                               "...."},
                              "O");
  CHECK(!can(several, "a4"));
  const auto filling_an_eye = set_up({".OX",  //
                                      "OO.",  //
                                      "XX."},
                                     "O");
  CHECK(can(filling_an_eye, "a3"));
}

TEST(go_seki_shares_nothing) {
  // Neither side can play on the two shared liberties; area rules give them to nobody.
  auto state = set_up({"XXOO",  //
                       "XX.O",  //
                       "X.OO",  //
                       "XXOO"},
                      "X", "0");
  CHECK(has_area(state, 7, 7));
  auto suicidal = state;
  play(suicidal, {"c3", "b2"});
  CHECK((drawn(suicidal) == Rows{"..OO", "...O", ".OOO", "..OO"}));
  play(state, {"pass", "pass"});
  CHECK(state.outcome() == Outcome::draw);
}

TEST(go_eyes_in_seki_count) {
  auto state = set_up({".XOO",  //
                       "XXOO",  //
                       "XX.O",  //
                       "XXO."},
                      "X", "0");
  CHECK(has_area(state, 8, 7));
  auto suicidal = state;
  play(suicidal, {"c2", "a4"});
  CHECK((drawn(suicidal) == Rows{"O.OO", "..OO", "...O", "..O."}));
  play(state, {"pass", "pass"});
  CHECK(state.outcome() == Outcome::win);
}

TEST(go_ends_after_two_passes_in_a_row) {
  auto state = start("go:5");
  play(state, {"pass", "c3", "pass"});
  CHECK(!state.terminal());
  play(state, {"pass"});
  CHECK(state.terminal());
  CHECK(!can(state, "pass") && !can(state, "a1"));
  std::array<Action, 26> actions;
  CHECK(state.legal(actions.data()) == 0);
  CHECK(has_area(state, 0, 25));  // White's stone owns the board
  CHECK(state.to_move() == 0 && state.outcome() == Outcome::loss);
}

TEST(go_komi_decides) {
  const auto empty_board = [](std::string_view id) {
    auto state = start(id);
    play(state, {"pass", "pass"});
    return state.outcome();
  };
  CHECK(empty_board("go:5,komi=0") == Outcome::draw);
  CHECK(empty_board("go:5,komi=0.5") == Outcome::loss);
  CHECK(empty_board("go:5,komi=-0.5") == Outcome::win);
  auto whole_board = start("go:5,komi=25");
  play(whole_board, {"c3", "pass", "pass"});
  CHECK(whole_board.outcome() == Outcome::draw);
  auto one_less = start("go:5,komi=24.5");
  play(one_less, {"c3", "pass", "pass"});
  CHECK(one_less.to_move() == 1 && one_less.outcome() == Outcome::loss);
}

TEST(go_is_scored_as_it_stands_at_the_last_ply) {
  const auto id = go_id("go:3,komi=0");
  CHECK(Go<9>(id).max_plies() == 36);
  auto state = Go<9>::from_text(id, ".X./.../..O O ply=35");
  CHECK(!state.terminal());
  play(state, {"a2"});
  CHECK(state.terminal());
  CHECK(has_area(state, 1, 2) && state.outcome() == Outcome::loss);
}

TEST(go_edges_of_every_size) {
  for (int size = 2; size <= 19; ++size) {
    Go<19> state(go_id("go:" + std::to_string(size)));
    const std::string far(1, "abcdefghjklmnopqrst"[size - 1]), top = std::to_string(size);
    CHECK(state.num_actions() == size * size + 1);
    CHECK(state.move_text(0) == "a" + top);
    CHECK(state.move_text(static_cast<Action>(size * size - 1)) == far + "1");
    CHECK(!state.parse_move(far + std::to_string(size + 1)));
    if (size == 2) continue;
    // A stone in each corner is captured by two, so the edge gives no liberties and nothing wraps around.
    const std::string near_far(1, "abcdefghjklmnopqrst"[size - 2]), below_top = std::to_string(size - 1);
    play(state, {"a2", "a1", "b1"});
    CHECK(state.stone(size * (size - 1)) == 0);
    if (size == 3) continue;
    play(state, {"a" + top, "a" + below_top, "pass", "b" + top, far + top, far + below_top, far + "1", near_far + top,
                 "pass", far + "2", "pass", near_far + "1"});
    for (const int corner : {0, size - 1, size * (size - 1), size * size - 1}) CHECK(state.stone(corner) == 0);
  }
}

TEST(go_random_games_at_every_size_end_in_time) {
  for (int size = 2; size <= 19; ++size) {
    const auto id = go_id("go:" + std::to_string(size));
    const auto wide = play_outs(Go<19>(id), 4, 7);
    CHECK(wide.first_wins + wide.draws + wide.second_wins == 4);
    if (!Go<9>::fits(id)) continue;
    const auto narrow = play_outs(Go<9>(id), 4, 7);
    CHECK(narrow.plies == wide.plies && narrow.first_wins == wide.first_wins);
  }
}

TEST(go_positions_with_liberties_are_those_counted_by_tromp) {
  // OEIS A094777: boards where every stone has a liberty, 57 on 2×2 and 12675 on 3×3.
  for (const auto& [size, expected] : {std::pair(2, 57), std::pair(3, 12675)}) {
    const std::string id = "go:" + std::to_string(size);
    int boards = 1, legal = 0;
    for (int cell = 0; cell < size * size; ++cell) boards *= 3;
    for (int code = 0; code < boards; ++code) {
      std::string board;
      for (int cell = 0, rest = code; cell < size * size; ++cell, rest /= 3) {
        if (cell && cell % size == 0) board += '/';
        board += ".XO"[rest % 3];
      }
      legal += !refused(id, board + " X");
    }
    CHECK(legal == expected);
  }
}

TEST(go_knows_the_resulting_board_before_playing) {
  // What superko compares; chains that are captured by a stone touching them twice or more are the hard case.
  for (std::uint64_t game = 0; game < 20; ++game) {
    GoBoard<9> board(4);
    Rng rng(1, game, 0, Purpose::rollout);
    for (int ply = 0; ply < 100; ++ply) {
      const int p = board.empty(static_cast<int>(rng.below(static_cast<std::uint32_t>(board.num_empty()))));
      if (!board.can_place(p, ply & 1)) continue;
      const auto expected = board.hash_after(p, ply & 1);
      board.play(p, ply & 1);
      CHECK(board.hash()[0] == expected);
    }
  }
}

TEST(go_samples_legal_moves_evenly) {
  auto state = set_up({".XO.",  //
                       "XO.O",  //
                       ".XO.",  //
                       "...."},
                      "X");
  constexpr int kDraws = 20000;
  Rng rng(1);
  // First White, who may not take the ko at b3; then Black, who may play on this point where a stone was captured.
  for (const char* move : {"c3", "d1"}) {
    play(state, {move});
    std::array<Action, 17> actions;
    const int n = state.legal(actions.data());
    std::array<int, 17> counts{};
    for (int i = 0; i < kDraws; ++i) ++counts[state.sample(rng)];
    const double mean = static_cast<double>(kDraws) / n;
    int total = 0;
    for (int i = 0; i < n; ++i) {
      const int count = counts[actions[static_cast<std::size_t>(i)]];
      CHECK(std::abs(count - mean) < 0.12 * mean);
      total += count;
    }
    CHECK(total == kDraws);
  }
}

TEST(go_text_carries_ko_passes_and_ply) {
  auto state = set_up({".XO.",  //
                       "XO.O",  //
                       ".XO.",  //
                       "...."},
                      "X");
  CHECK(state.position_text() == ".XO./XO.O/.XO./.... X");
  CHECK(state.ply() == 8);
  play(state, {"c3"});
  CHECK(state.position_text() == ".XO./X.XO/.XO./.... O ply=9 ko=b3");
  play(state, {"pass"});
  CHECK(state.position_text() == ".XO./X.XO/.XO./.... X passes=1 ply=10");
  const auto late = set_up({"X.", "OO"}, "X ply=10");
  CHECK(late.ply() == 10 && late.position_text() == "X./OO X ply=10");
}

TEST(go_hash_sees_what_the_planes_see) {
  const Rows rows{".XO.", "X.XO", ".XO.", "...."};
  const auto free = set_up(rows, "O"), forbidden = set_up(rows, "O ko=b3"), passed = set_up(rows, "O passes=1");
  CHECK(free.board_hash() == forbidden.board_hash() && free.board_hash() == passed.board_hash());
  CHECK(free.hash(0) != forbidden.hash(0) && free.hash(0) != passed.hash(0) &&
        free.hash(0) != set_up(rows, "X").hash(0));
  std::vector<float> planes(9 * 16);
  forbidden.encode(0, planes.data());
  const auto plane = [&](int i) {
    std::string text;
    for (int cell = 0; cell < 16; ++cell) text += planes[static_cast<std::size_t>(i * 16 + cell)] == 1 ? '#' : '.';
    return text;
  };
  CHECK(plane(0) == "..#....#..#.....");  // White's, the side to move
  CHECK(plane(1) == ".#..#.#..#......");
  CHECK(plane(2) == "..#...#.........");  // c3 and c4 have one liberty
  CHECK(plane(3) == ".#.....#..#.....");
  CHECK(plane(4) == "....#....#......");
  CHECK(plane(5) == ".....#..........");  // b3
  CHECK(plane(6) == "................" && plane(7) == "................");
  CHECK(std::abs(planes[8 * 16] - 6.5f / 15) < 1e-6f);
}

TEST(go_refuses_positions_that_cannot_be) {
  CHECK(!refused("go:3", "XO./X../... X"));
  for (const char* text :
       {"", "XO./X../...", "XOX/X.X/.XO O", "XO./X.. X", "XO./X../... Z", "XO./X../... X passes=3",
        "XO./X../... X passes=", "XO./X../... X ply=5", "XO./X../... X ply=2", "XO./X../... X ply=38",
        "XO./X../... X ply=x", "XO./X../... X ply=99999999999", "XO./X../... X passes=1 passes=1",
        "XO./X../... X ko=", "XO./X../... X ko=a3", "XO./X../... X ko=c3,", "XO./X../... X ko=pass",
        "XO./X../... X king=c3", ".X./X../... O ko=a3"})
    CHECK(refused("go:3", text));
  CHECK(!refused("go:3", "XO./X../... X ko=c3,b2 ply=6 passes=2"));
}

TEST(go_copies_are_independent) {
  auto state = set_up({".XO.", "XO.O", ".XO.", "...."}, "X");
  auto copy = state;
  play(copy, {"c3"});
  CHECK((drawn(state) == Rows{".XO.", "XO.O", ".XO.", "...."}));
  CHECK(!can(copy, "b3"));
  copy = state;
  play(copy, {"a1", "d1"});
  CHECK(can(copy, "c3") && can(state, "a1"));
}
