// Text shared by all games: coordinates, boards as rows of X O and dots, and the ASCII drawing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/game.h"

namespace tengen {

// User text in an error message: printable, on one line, not longer than a screen.
std::string quoted(std::string_view text);

// "d4": a letter for the column, a number for the row.
std::string cell_text(const Layout& layout, int cell);
std::optional<int> parse_cell(const Layout& layout, std::string_view text);

// Position text is `BOARD SIDE [WORD…]`: the rows from the top, separated by '/', a stone X or O, an empty cell '.';
// then the side to move. Games may append words of their own (`passes=1`).
struct PositionText {
  std::vector<int> stones;  // rows * cols, 0 empty, 1 X, 2 O
  int to_move;              // 0 for X
  std::vector<std::string> extra;
};
PositionText parse_position(const Layout& layout, std::string_view text);  // throws Error
std::string write_position(const Layout& layout, const std::function<int(int)>& stone, int to_move,
                           const std::vector<std::string>& extra = {});

// Sides alternate and every ply places one stone: X has as many stones as O, or one more when O is to move.
void require_alternating(const PositionText& position);  // throws Error

// A drawing with coordinates; cells in `marked` are shown in brackets.
std::string draw(const Layout& layout, const std::function<int(int)>& stone, const std::vector<int>& marked);

}  // namespace tengen
