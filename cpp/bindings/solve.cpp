// Binds the exact solvers. Positions arrive as position texts, which tengen.exact.solver takes from validated states.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tengen/base/parallel.h"
#include "tengen/solve/connect4_solver.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using Scores = nb::ndarray<nb::numpy, std::int8_t>;

std::vector<Connect4> parse_positions(const std::vector<std::string>& texts) {
  const auto id = parse_game_id("connect4", {&Connect4::spec()});
  std::vector<Connect4> out;
  out.reserve(texts.size());
  for (const auto& text : texts) out.push_back(Connect4::from_text(id, text));
  return out;
}

// Calls solve(position, row) for every position; `row` is where its `width` scores go. Positions differ a lot in cost,
// so threads take them one by one.
template <class Solve>
Scores solve_rows(const std::vector<std::string>& texts, std::size_t width, int threads, const Solve& solve) {
  const auto positions = parse_positions(texts);
  auto* data = new std::int8_t[std::max<std::size_t>(positions.size() * width, 1)];
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int8_t*>(p); });
  {
    const nb::gil_scoped_release release;
    parallel_for(positions.size(), threads, 1, [&](std::size_t i) { solve(positions[i], data + i * width); });
  }
  return width == 1 ? Scores(data, {positions.size()}, owner) : Scores(data, {positions.size(), width}, owner);
}

SolveMode mode_of(bool weak) { return weak ? SolveMode::weak : SolveMode::strong; }

}  // namespace

void bind_solve(nb::module_& m) {
  nb::class_<Connect4Solver>(m, "Connect4Solver", "Exact Connect4 results. Used through tengen.exact.solver.")
      .def(
          "__init__",
          [](Connect4Solver* self, const std::optional<std::string>& book) {
            new (self) Connect4Solver(book ? std::make_shared<Connect4Book>(*book) : nullptr);
          },
          "book"_a = nb::none(), "book: path of the 12-ply opening book. Raises GameError when it is damaged.")
      .def_ro_static("FULL_COLUMN", &Connect4Solver::kFullColumn, "Stands for the score of a full column.")
      .def(
          "scores",
          [](Connect4Solver& self, const std::vector<std::string>& positions, bool weak, int threads) {
            return solve_rows(positions, 1, threads, [&, mode = mode_of(weak)](const Connect4& p, std::int8_t* row) {
              *row = static_cast<std::int8_t>(self.score(p, mode));
            });
          },
          "positions"_a, "weak"_a = false, "threads"_a = 0, "The score of each position text: int8 [n].")
      .def(
          "columns",
          [](Connect4Solver& self, const std::vector<std::string>& positions, bool weak, int threads) {
            return solve_rows(positions, Connect4::kCols, threads,
                              [&, mode = mode_of(weak)](const Connect4& p, std::int8_t* row) {
                                std::ranges::copy(self.columns(p, mode), row);
                              });
          },
          "positions"_a, "weak"_a = false, "threads"_a = 0,
          "The score after each column, of each position text: int8 [n, 7], FULL_COLUMN where no stone fits.");
}

}  // namespace tengen
