// A preference for moves that knows nothing of a game but where its stones are: next to stones rather than far away,
// and while there are hardly any, in the middle rather than at the border. Most games of stones are played like that,
// so a search without a network need not try every cell of a large board equally often.
//
//   logit = −kFar · (d − 1) + early · kCentral · line
//
//   d        steps (also diagonal) to the nearest stone, at most kFarthest, which is also that of an empty board
//   line     0 at the border … 1 in the middle
//   early    1 on an empty board, 0 as soon as one cell in kCrowd has a stone: at the border there may be good moves
//
// A move that places nothing (pass, swap) counts as one next to a stone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tengen/game.h"

namespace tengen {

template <Game G>
class Nearby {
 public:
  explicit Nearby(const G& start)
      : layout_(start.layout()),
        steps_(static_cast<std::size_t>(layout_.rows * layout_.cols)),
        actions_(static_cast<std::size_t>(start.num_actions())) {}

  // Writes the logits of the legal moves, as a network would that is shown the position under a symmetry.
  void write(const G& state, int symmetry, float* policy) {
    const float early = measure(state);
    const int n = state.legal(actions_.data());
    for (int i = 0; i < n; ++i) {
      const Action a = actions_[static_cast<std::size_t>(i)];
      policy[state.policy_index(symmetry, a)] = logit(state.landing_cell(a), early);
    }
  }

 private:
  static constexpr int kFarthest = 4, kCrowd = 16;
  static constexpr float kFar = 1.5f, kCentral = 4.0f;

  float logit(int cell, float early) const {
    if (cell < 0) return 0;
    const int row = cell / layout_.cols, col = cell % layout_.cols;
    const int line = std::min({row, layout_.rows - 1 - row, col, layout_.cols - 1 - col});
    const int middle = std::max(1, (std::min(layout_.rows, layout_.cols) - 1) / 2);
    return -kFar * static_cast<float>(steps_[static_cast<std::size_t>(cell)] - 1) +
           early * kCentral * static_cast<float>(line) / static_cast<float>(middle);
  }

  // Steps to the nearest stone for every cell, in one pass down and one pass up; returns `early`.
  float measure(const G& state) {
    const int cells = layout_.rows * layout_.cols;
    int stones = 0;
    for (int cell = 0; cell < cells; ++cell) {
      const bool taken = state.stone(cell) != 0;
      stones += taken;
      steps_[static_cast<std::size_t>(cell)] = taken ? 0 : kFarthest;
      shorten(cell, -1);
    }
    for (int cell = cells - 1; cell >= 0; --cell) shorten(cell, 1);
    return std::max(0.0f, 1 - static_cast<float>(stones * kCrowd) / static_cast<float>(cells));
  }
  // A step from the row before (`by` −1) or after, or from the cell beside it on that side.
  void shorten(int cell, int by) {
    const int row = cell / layout_.cols + by, col = cell % layout_.cols;
    int& steps = steps_[static_cast<std::size_t>(cell)];
    const auto from = [&](int r, int c) {
      if (r >= 0 && r < layout_.rows && c >= 0 && c < layout_.cols)
        steps = std::min(steps, 1 + steps_[static_cast<std::size_t>(r * layout_.cols + c)]);
    };
    for (int c = col - 1; c <= col + 1; ++c) from(row, c);
    from(row - by, col + by);
  }

  Layout layout_;
  std::vector<int> steps_;
  std::vector<Action> actions_;  // scratch
};

}  // namespace tengen
