// Self-play with the game's type erased. The same object is an AnySearch too: each select plays on until every game
// needs the network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tengen/proof/labels.h"
#include "tengen/search/any_search.h"
#include "tengen/selfplay/config.h"

namespace tengen {

// What one finished game leaves behind. No tensors: whoever trains replays the rules.
struct FinishedGame {
  enum class Ending : std::uint8_t { rules, resigned, counted };  // counted: scored as it stood
  enum class Search : std::uint8_t { none, fast, full };          // none: a random move

  std::uint64_t game = 0;
  std::string id;  // canonical
  int result = 0;  // for the first player
  Ending ending = Ending::rules;
  std::int8_t hopeless = 0;  // bit 1: the first player's value fell below the resignation bound; bit 2: the second's
  std::vector<Action> moves;
  std::vector<Search> search;          // [plies]
  std::vector<std::uint32_t> release;  // [plies] number of the network in use when the move was chosen
  std::vector<float> q, d, m;          // [plies] the root's value, draw share and plies left, for the side to move
  std::vector<std::int8_t> exact;      // [plies] the game's value where it was proven afterwards, else kUnsolved
  std::vector<std::int32_t> children;  // [plies] entries below that belong to a ply; 0 unless searched in full
  std::vector<Action> action;          // visited moves and moves with a target
  std::vector<std::uint32_t> visits;
  std::vector<float> target;
};

struct SelfPlayCounts {
  std::uint64_t games = 0, moves = 0, simulations = 0;
  std::uint64_t positions = 0;  // to learn from: searched in full
};

class AnySelfPlay {
 public:
  virtual ~AnySelfPlay() = default;
  virtual std::vector<FinishedGame> take_records() = 0;  // finished games since the last call, in order of their slots
  virtual std::vector<FinishedGame> under_way(
      int most) const = 0;  // copies of the games of the first slots as they stand
  virtual SelfPlayCounts play_counts() const = 0;
  virtual void set_release(std::uint32_t number) = 0;  // what moves chosen from now on carry; numbers never fall
  virtual void drain(bool on) = 0;                     // each slot ends its search, plays its move, and rests
  virtual std::uint32_t oldest_release() const = 0;    // the lowest number in a game that was not handed out yet
};

}  // namespace tengen
