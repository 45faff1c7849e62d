// Rows that win and rows that do not, under each rule, in each direction and at each edge.
#include <cstdlib>

#include "check.h"
#include "tengen/base/rollout.h"
#include "tengen/games/gomoku.h"

using namespace tengen;

namespace {

struct Cell {
  int row, col;
};
constexpr Cell kDirections[] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

GameId id_of(const std::string& text) { return parse_game_id(text, {&gomoku_spec()}); }

struct Drawing {
  int size;
  std::vector<std::string> rows;

  explicit Drawing(int n) : size(n), rows(static_cast<std::size_t>(n), std::string(static_cast<std::size_t>(n), '.')) {}
  char& at(Cell c) { return rows[static_cast<std::size_t>(c.row)][static_cast<std::size_t>(c.col)]; }
  bool inside(Cell c) const { return c.row >= 0 && c.col >= 0 && c.row < size && c.col < size; }
  std::string text(char side) const {
    std::string out;
    for (const auto& row : rows) out += (out.empty() ? "" : "/") + row;
    return out + ' ' + side;
  }
};

// Stones of `colour` on a stretch of a line, the one numbered `missing` left out; then enough of the other colour,
// scattered, for `colour` to be the side to move. Nothing when the stretch leaves the board.
std::optional<Drawing> stretch(int size, Cell start, Cell direction, int length, int missing, char colour) {
  Drawing board(size);
  for (int i = 0; i < length; ++i) {
    const Cell c{start.row + i * direction.row, start.col + i * direction.col};
    if (!board.inside(c)) return std::nullopt;
    board.at(c) = i == missing ? '*' : colour;
  }
  int others = length - 1 + (colour == 'O');
  for (int k = 0; k < size * size && others > 0; k += k % size == size - 2 ? 3 : 2)
    if (const Cell c{k / size, k % size}; c.row % 3 == 0 && board.at(c) == '.') {
      board.at(c) = colour == 'X' ? 'O' : 'X';
      --others;
    }
  board.at({start.row + missing * direction.row, start.col + missing * direction.col}) = '.';
  return others == 0 ? std::optional(board) : std::nullopt;
}

template <int W>
bool refuses(const GameId& id, const std::string& text) {
  try {
    Gomoku<W>::from_text(id, text);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// Completes rows of `length` everywhere on the board; `wins` says what should come of it.
template <int W>
void check_rows(const std::string& game, int size, int length, char colour, bool wins) {
  const GameId id = id_of(game);
  int tried = 0;
  for (const Cell direction : kDirections)
    for (int cell = 0; cell < size * size; ++cell)
      for (int missing = 0; missing < length; ++missing) {
        const Cell start{cell / size, cell % size};
        const auto board = stretch(size, start, direction, length, missing, colour);
        // A missing end leaves a shorter row, which may have won already; those positions are refused.
        if (!board || refuses<W>(id, board->text(colour))) continue;
        auto state = Gomoku<W>::from_text(id, board->text(colour));
        if (state.terminal()) continue;
        const auto last =
            static_cast<Action>((start.row + missing * direction.row) * size + start.col + missing * direction.col);
        CHECK(state.is_legal(last));
        state.apply(last);
        CHECK(state.terminal() == wins);
        CHECK(state.winning_line().size() == (wins ? static_cast<std::size_t>(length) : 0u));
        CHECK(!wins || state.outcome() == Outcome::loss);
        const auto again = Gomoku<W>::from_text(id, state.position_text());
        CHECK(again.terminal() == wins && again.winning_line() == state.winning_line());
        for (int s = 0; s < kSymmetries; ++s) CHECK(again.hash(s) == state.hash(s));
        ++tried;
      }
  CHECK(tried > 0);
}

}  // namespace

TEST(gomoku_rows_win_everywhere) {
  for (int k = 3; k <= 6; ++k) {
    const std::string options = ",in_a_row=" + std::to_string(k);
    check_rows<4>("gomoku:9" + options, 9, k, 'X', true);
    check_rows<4>("gomoku:9" + options, 9, k, 'O', true);
    check_rows<4>("gomoku:9" + options, 9, k - 1, 'X', false);
    check_rows<4>("gomoku:9" + options + ",rule=exact", 9, k, 'X', true);
    check_rows<4>("gomoku:9" + options + ",rule=exact", 9, k, 'O', true);
  }
  check_rows<4>("gomoku:16", 16, 5, 'X', true);
  check_rows<8>("gomoku:19", 19, 5, 'X', true);
  check_rows<8>("gomoku:20", 20, 5, 'X', true);
  check_rows<8>("gomoku:17", 17, 4, 'O', false);
}

TEST(gomoku_overlines) {
  for (int k = 3; k <= 6; ++k) {
    const std::string options = ",in_a_row=" + std::to_string(k);
    for (const char colour : {'X', 'O'})
      for (int length = k + 1; length <= k + 2; ++length) {
        check_rows<4>("gomoku:9" + options, 9, length, colour, true);
        check_rows<4>("gomoku:9" + options + ",rule=exact", 9, length, colour, false);
      }
  }
  check_rows<4>("gomoku:9,rule=renju", 9, 6, 'O', true);
  check_rows<4>("gomoku:9,rule=renju", 9, 5, 'X', true);
}

TEST(gomoku_rows_do_not_wrap) {
  const GameId id = id_of("gomoku:6,in_a_row=4");
  // The last two cells of a row and the first two of the next; the same along both diagonals and over the last row.
  for (const char* text :
       {"....XX/XX..../....../..O.O./O...../O..... X", ".....X/....../X...../.X..../..X.../OO.O.O X",
        "X...../.....X/....X./...X../....../OO.O.O X", "X...../X...../..O.O./O...O./X...../X..... X"}) {
    auto state = Gomoku<4>::from_text(id, text);
    CHECK(!state.terminal());
    CHECK(state.winning_line().empty());
  }
}

TEST(gomoku_draws_when_full) {
  auto state = Gomoku<4>::from_text(id_of("gomoku:6"), "XXOOXX/OOXXOO/XXOOXX/OOXXOO/XXOOXX/OOXXO. O");
  CHECK(!state.terminal());
  state.apply(35);
  CHECK(state.terminal() && state.outcome() == Outcome::draw && state.ply() == state.max_plies());
}

TEST(gomoku_shows_every_winning_row) {
  auto state = Gomoku<4>::from_text(id_of("gomoku:6,in_a_row=3"), ".XX.O./X...../X..O../....../....../..O.O. X");
  state.apply(0);
  CHECK((state.winning_line() == std::vector<int>{0, 1, 2, 6, 12}));
}

TEST(gomoku_refuses_impossible_positions) {
  const GameId id = id_of("gomoku:6,in_a_row=3");
  CHECK(refuses<4>(id, "XXX.../....../....../....../....../OO.O.. X"));  // X to move has won
  CHECK(refuses<4>(id, "XXX.../....../....../....../....../OOO... X"));  // both have won
  CHECK(refuses<4>(id, "XX..../....../....../....../....../O..... X"));  // O has moved too little
  CHECK(!refuses<4>(id, "XXX.../....../....../....../....../OO.... O"));
}

TEST(gomoku_samples_every_legal_move_alike) {
  const auto state = Gomoku<4>::from_text(id_of("gomoku:6,rule=renju"), "XXX.XX/O.O.../..O.O./....../O...../...... X");
  std::array<Action, 36> legal;
  const int n = state.legal(legal.data());
  CHECK(n == 36 - 10 - 1);  // all empty cells but the overline's
  constexpr int kEach = 2000;
  std::array<int, 36> seen{};
  Rng rng(1);
  for (int i = 0; i < n * kEach; ++i) ++seen[state.sample(rng)];
  for (int i = 0; i < n; ++i) CHECK(std::abs(seen[legal[static_cast<std::size_t>(i)]] - kEach) < kEach / 5);  // 9 sigma
  CHECK(seen[3] == 0);
}

// 225 · 224 · 223: nobody can win so early.
TEST(gomoku_perft) {
  CHECK(perft(Gomoku<4>(id_of("gomoku:15")), 3, PassCounting::ply, false) == 11239200);
  CHECK(perft(Gomoku<4>(id_of("gomoku:6,in_a_row=3,rule=exact")), 3, PassCounting::ply, false) == 36 * 35 * 34);
}

TEST(renju_verdicts) {
  using renju::Verdict;
  const auto& board = GomokuBoard::of(15);
  const auto verdict = [&](std::initializer_list<Cell> stones) {
    Bits<4> black;
    for (const Cell c : stones) black.set(c.row * 15 + c.col);
    return renju::judge(board, black, Bits<4>{}, 7 * 15 + 7);
  };
  CHECK(verdict({}) == Verdict::allowed);
  CHECK(verdict({{7, 3}, {7, 4}, {7, 5}, {7, 6}}) == Verdict::five);
  CHECK(verdict({{7, 3}, {7, 4}, {7, 5}, {7, 6}, {7, 8}}) == Verdict::overline);
  CHECK(verdict({{7, 4}, {7, 6}, {7, 8}, {7, 10}}) == Verdict::double_four);
  CHECK(verdict({{7, 5}, {7, 6}, {8, 7}, {9, 7}}) == Verdict::double_three);
  CHECK(verdict({{7, 4}, {7, 5}, {7, 6}, {8, 7}, {9, 7}}) == Verdict::allowed);
}
