// Game ids: `NAME[:SIZE][,key=value…]`, defaults left out. One parser for every game; a game only declares its table.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tengen {

// One option of a game. Numbers have a range and a step; choices are words and their value is the index of the word.
struct OptionSpec {
  std::string_view name;
  double low, high, step, fallback;
  std::vector<std::string_view> choices;  // empty for a number
  std::string_view sentence;
  bool input = false;  // does the network see it, so that one network may play with all its values?
};

// What is known of a game beside its rules, so that nobody has to ask for it by name. What a game leaves out has a
// usual value, which the user of the fact knows.
struct GameFacts {
  std::optional<double> c_ucb = {};       // of pure MCTS, from matches with itself (docs/matches.md)
  std::optional<int> opening_plies = {};  // random plies that start the games of a match: few enough to keep them open
  bool finished_counts = false;        // perft as published: a finished position is one sequence at any remaining depth
  std::optional<int> sgf_number = {};  // GM in its SGF files, if other programs know it
  std::optional<int> sgf_size = {};    // the board of SGF files that name none
  std::optional<std::string_view> sgf_rules = {};  // RU in its SGF files
  // What each side is to do, where that differs: names of phrases, which whoever speaks to people has in every
  // language.
  std::optional<std::array<std::string_view, 2>> goals = {};
};

struct GameSpec {
  std::string_view name;
  std::string_view title;
  std::vector<int> sizes;  // allowed sizes, ascending; empty: the game has one board
  int default_size;        // 0 when `sizes` is empty
  bool size_always_shown;  // canonical ids say `go:9` but `othello` (not `othello:8`)
  std::vector<OptionSpec> options;
  GameFacts facts = {};
};

// A parsed, validated id. `values[i]` belongs to `spec->options[i]`.
struct GameId {
  const GameSpec* spec = nullptr;
  int size = 0;
  std::vector<double> values;

  double value(std::string_view option) const;  // the option must be in the spec
  void set(std::string_view option, double value);
  int integer(std::string_view option) const { return static_cast<int>(value(option)); }
  std::string text() const;  // canonical
};

// "gomoku:6,in_a_row=4" against the specs of all games; throws Error with the legal choices in its message.
GameId parse_game_id(std::string_view text, const std::vector<const GameSpec*>& specs);

std::string describe(const OptionSpec& option);  // "3 … 6", "freestyle, exact, renju"

}  // namespace tengen
