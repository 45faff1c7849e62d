#include "tengen/solve/connect4_book.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tengen/games/connect4.h"

namespace tengen {
namespace {

constexpr std::size_t kEntryBytes = 5;

std::int32_t encode(std::uint64_t own, std::uint64_t all) {
  std::uint32_t code = 0;
  for (int col = 0; col < Connect4::kCols; ++col) {
    for (auto cell = Connect4::bottom(col); all & cell; cell <<= 1) code = code << 2 | (own & cell ? 0b10 : 0b11);
    code <<= 1;
  }
  return static_cast<std::int32_t>(code << 1);
}

// Wins end after an odd number of plies, losses after an even one, and none before the next move or after the last.
bool plausible(int result) {
  constexpr int kLongest = Connect4::kCells - Connect4Book::kPlies;
  const int plies = 100 - std::abs(result);
  return result == 0 || (plies >= 1 && plies <= kLongest && plies % 2 == (result > 0));
}

// A player's n-th stone from now scores 22 − (stones before it + n), as everywhere in the solver.
int score_of(int result) {
  const int plies = 100 - std::abs(result), stones = Connect4Book::kPlies / 2 + (plies + 1) / 2;
  return result == 0 ? 0 : result > 0 ? 22 - stones : stones - 22;
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error("the opening book " + path + " " + what + "; reinstall the package bitbully-databases");
}

}  // namespace

Connect4Book::Connect4Book(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(path, "cannot be read");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    fail(path, "cannot be read");
  if (bytes.empty() || bytes.size() % kEntryBytes) fail(path, "is damaged: its size is not a number of entries");
  const auto count = bytes.size() / kEntryBytes;
  boards_.resize(count);
  results_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* entry = &bytes[i * kEntryBytes];
    std::uint32_t board = 0;
    for (std::size_t b = 0; b + 1 < kEntryBytes; ++b) board = board << 8 | entry[b];
    boards_[i] = static_cast<std::int32_t>(board);
    results_[i] = static_cast<std::int8_t>(entry[kEntryBytes - 1]);
    if (i && boards_[i] <= boards_[i - 1]) fail(path, "is damaged: its boards are not in order");
    if (!plausible(results_[i])) fail(path, "is damaged: a result in it is impossible");
  }
}

std::optional<int> Connect4Book::find(std::uint64_t own, std::uint64_t all) const {
  for (const auto board : {encode(own, all), encode(Connect4::mirrored(own), Connect4::mirrored(all))}) {
    const auto found = std::lower_bound(boards_.begin(), boards_.end(), board);
    if (found != boards_.end() && *found == board)
      return score_of(results_[static_cast<std::size_t>(found - boards_.begin())]);
  }
  return std::nullopt;
}

}  // namespace tengen
