// The opening book of the package bitbully-databases (MIT): the exact result of every Connect4 position with twelve
// stones, mirror images counted once, except those that the side to move wins at once.
//
// The file `book_12ply_distances.dat` is a sorted list of five-byte entries, as that package's Python reader documents:
//
//   bytes 0 … 3   the board, big-endian, ascending as signed numbers: columns from the left, each from the bottom up,
//                 `10` a stone of the first player (who is to move), `11` one of the second, `0` ends the column;
//                 12 stones and 7 ends make 31 bits, the last bit is 0
//   byte 4        signed: 0 draw, 100 − n the side to move wins in n plies, n − 100 it loses in n plies
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tengen {

class Connect4Book {
 public:
  static constexpr int kPlies = 12;

  explicit Connect4Book(const std::string& path);  // throws Error when the file is missing or damaged

  // The exact score of a position with kPlies stones, given by the stones of the side to move and of both sides.
  std::optional<int> find(std::uint64_t own, std::uint64_t all) const;
  std::size_t size() const { return boards_.size(); }

 private:
  std::vector<std::int32_t> boards_;  // ascending
  std::vector<std::int8_t> results_;  // [boards]
};

}  // namespace tengen
