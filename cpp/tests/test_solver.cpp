// The solver against plain minimax on late positions, and its book's reader on damaged files.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "check.h"
#include "tengen/base/rng.h"
#include "tengen/solve/connect4_solver.h"

using namespace tengen;

namespace {

Connect4 start() { return Connect4(parse_game_id("connect4", {&Connect4::spec()})); }

// The definition of the score, move by move.
int minimax(const Connect4& position) {
  if (position.terminal()) {
    const int winner_stones = (position.ply() + 1) / 2;
    return position.outcome() == Outcome::draw ? 0 : winner_stones - 22;
  }
  int best = -22;
  for (Action a = 0; a < Connect4::kCols; ++a) {
    if (!position.is_legal(a)) continue;
    auto next = position;
    next.apply(a);
    best = std::max(best, -minimax(next));
  }
  return best;
}

// A random unfinished position with this many stones.
Connect4 random_position(int stones, Rng& rng) {
  for (;;) {
    auto position = start();
    while (position.ply() < stones && !position.terminal()) {
      Action legal[Connect4::kCols];
      const int count = position.legal(legal);
      position.apply(legal[rng.below(static_cast<std::uint32_t>(count))]);
    }
    if (!position.terminal()) return position;
  }
}

int sign(int x) { return (x > 0) - (x < 0); }

std::string book_error(const std::string& bytes) {
  const auto path = (std::filesystem::temp_directory_path() / "tengen_test_book.dat").string();
  std::ofstream(path, std::ios::binary) << bytes;
  std::string message;
  try {
    Connect4Book book(path);
  } catch (const Error& error) {
    message = error.what();
  }
  std::remove(path.c_str());
  return message;
}

}  // namespace

TEST(solver_agrees_with_minimax) {
  Connect4Solver solver(nullptr, 12);
  Rng rng(1, 0, 0, Purpose::opening);
  for (int round = 0; round < 250; ++round) {
    const auto position = random_position(28 + round % 14, rng);
    const int expected = minimax(position);
    CHECK(solver.score(position) == expected);
    CHECK(solver.score(position, SolveMode::weak) == sign(expected));
    const auto columns = solver.columns(position), signs = solver.columns(position, SolveMode::weak);
    for (Action a = 0; a < Connect4::kCols; ++a) {
      if (!position.is_legal(a)) {
        CHECK(columns[a] == Connect4Solver::kFullColumn && signs[a] == Connect4Solver::kFullColumn);
        continue;
      }
      auto next = position;
      next.apply(a);
      const int score = -minimax(next);
      CHECK(columns[a] == score);
      CHECK(signs[a] == sign(score));
    }
  }
}

TEST(solver_refuses_finished_games) {
  auto position = start();
  for (const int col : {0, 1, 0, 1, 0, 1, 0}) position.apply(static_cast<Action>(col));
  Connect4Solver solver(nullptr, 12);
  int refused = 0;
  try {
    solver.score(position);
  } catch (const Error&) {
    ++refused;
  }
  try {
    solver.columns(position);
  } catch (const Error&) {
    ++refused;
  }
  CHECK(refused == 2);
}

TEST(damaged_books_are_refused) {
  const std::string first("\x81\x57\x3e\xfc\x4b", 5), second("\x81\x57\x3f\xbc\x4f", 5);
  CHECK(book_error(first + second).empty());
  CHECK(book_error("").find("damaged") != std::string::npos);
  CHECK(book_error(first + "x").find("damaged") != std::string::npos);
  CHECK(book_error(second + first).find("order") != std::string::npos);
  CHECK(book_error(first + second.substr(0, 4) + "\x4e").find("impossible") != std::string::npos);
}
