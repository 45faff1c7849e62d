#include "tengen/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tengen {
namespace {

char column_letter(const Layout& layout, int col) {
  return static_cast<char>('a' + col + (layout.skip_letter_i && col >= 8 ? 1 : 0));
}

int row_number(const Layout& layout, int row) { return layout.first_row_at_bottom ? layout.rows - row : row + 1; }

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto end = std::min(text.find(' ', i), text.size());
    if (end > i) out.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

constexpr std::string_view kSymbols = ".XO";

// Bytes of the printable UTF-8 letter that `text` starts with; 0 for a control character or a letter cut in two (which
// Python could not decode).
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (length == 0 || text.size() < length) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::ranges::all_of(text.substr(1, length - 1), continues) ? length : 0;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const auto shown = text.substr(0, kLongest);
  std::string out = "'";
  for (std::size_t i = 0; i < shown.size();) {
    const auto letter = shown.substr(i, utf8_length(shown.substr(i)));
    out += letter.empty() ? "?" : letter;
    i += std::max<std::size_t>(letter.size(), 1);
  }
  return out + (text.size() > kLongest ? "…'" : "'");
}

std::string cell_text(const Layout& layout, int cell) {
  return column_letter(layout, cell % layout.cols) + std::to_string(row_number(layout, cell / layout.cols));
}

std::optional<int> parse_cell(const Layout& layout, std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || text[1] == '0') return std::nullopt;
  const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  int col = letter - 'a';
  if (layout.skip_letter_i && letter == 'i') return std::nullopt;
  if (layout.skip_letter_i && letter > 'i') --col;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const int row = layout.first_row_at_bottom ? layout.rows - number : number - 1;
  if (row < 0 || row >= layout.rows || col < 0 || col >= layout.cols) return std::nullopt;
  return row * layout.cols + col;
}

PositionText parse_position(const Layout& layout, std::string_view text) {
  const auto parts = words(text);
  const std::string shape =
      std::to_string(layout.rows) + " rows of " + std::to_string(layout.cols) + " cells (X, O or .) separated by '/'";
  if (parts.size() < 2) throw Error("a position is 'BOARD SIDE': " + shape + ", a space, then X or O to move");
  PositionText out{{}, 0, {parts.begin() + 2, parts.end()}};
  int row = 0, col = 0;
  for (const char c : parts[0]) {
    if (c == '/') {
      if (col != layout.cols)
        throw Error("row " + std::to_string(row + 1) + " of the board has " + std::to_string(col) +
                    " cells; a board is " + shape);
      ++row, col = 0;
      continue;
    }
    const auto symbol = kSymbols.find(c);
    if (symbol == std::string_view::npos) throw Error("the board has a " + quoted({&c, 1}) + "; a board is " + shape);
    if (++col > layout.cols || row >= layout.rows) throw Error("the board is too large; a board is " + shape);
    out.stones.push_back(static_cast<int>(symbol));
  }
  if (row != layout.rows - 1 || col != layout.cols) throw Error("the board is too small; a board is " + shape);
  if (parts[1] != "X" && parts[1] != "O") throw Error("the side to move must be X or O, not " + quoted(parts[1]));
  out.to_move = parts[1] == "O";
  return out;
}

std::string write_position(const Layout& layout, const std::function<int(int)>& stone, int to_move,
                           const std::vector<std::string>& extra) {
  std::string out;
  for (int row = 0; row < layout.rows; ++row) {
    if (row) out += '/';
    for (int col = 0; col < layout.cols; ++col)
      out += kSymbols[static_cast<std::size_t>(stone(row * layout.cols + col))];
  }
  out += to_move ? " O" : " X";
  for (const auto& word : extra) out += ' ' + word;
  return out;
}

void require_alternating(const PositionText& position) {
  if (!position.extra.empty())
    throw Error("nothing may follow the side to move, but there is " + quoted(position.extra[0]));
  const auto first = std::ranges::count(position.stones, 1), second = std::ranges::count(position.stones, 2);
  if (first - second != position.to_move)
    throw Error("X has " + std::to_string(first) + " stones and O " + std::to_string(second) + ", so it cannot be " +
                (position.to_move ? "O" : "X") + "'s turn");
}

std::string draw(const Layout& layout, const std::function<int(int)>& stone, const std::vector<int>& marked) {
  const auto is_marked = [&](int cell) { return std::ranges::find(marked, cell) != marked.end(); };
  const bool numbered_columns = layout.kind == Layout::Kind::gravity;
  const auto header = [&](int indent) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (int col = 0; col < layout.cols; ++col) {
      line += ' ';
      line += numbered_columns ? static_cast<char>('1' + col) : column_letter(layout, col);
    }
    return line + '\n';
  };
  std::string out = layout.first_row_at_bottom ? "" : header(3);
  for (int row = 0; row < layout.rows; ++row) {
    // Each row of a hex board is shifted half a cell to the right of the one above.
    std::string line(layout.kind == Layout::Kind::hexes ? static_cast<std::size_t>(row) : 0, ' ');
    const std::string number = numbered_columns ? "" : std::to_string(row_number(layout, row));
    line += std::string(3 - number.size(), ' ') + number;
    bool closing = false;
    for (int col = 0; col < layout.cols; ++col) {
      const int cell = row * layout.cols + col;
      const bool opening = is_marked(cell);
      line += opening ? (closing ? '|' : '[') : closing ? ']' : ' ';
      line += kSymbols[static_cast<std::size_t>(stone(cell))];
      closing = opening;
    }
    out += line + (closing ? "]" : "") + '\n';
  }
  if (layout.first_row_at_bottom) out += header(3);
  return out;
}

}  // namespace tengen
