// THE CONTRACT: what a two-player board game must offer, and the laws it must keep.
//
// A game is one copyable value: a position plus whatever its rules need to go on (Go: the boards seen so far).
// Search, self-play, the terminal and the browser see games only through this page; tests/games/test_contract.py and
// tests/games/test_abilities.py check every law below on random positions of every registered game.
//
// 1. Sides alternate every ply; a pass is a ply. `to_move()` is 0 for the first player, 1 for the second.
// 2. `legal(out)` writes the legal actions in ascending order and returns how many; `is_legal(a)` agrees with it.
//    A position that is not terminal has at least one legal action; a terminal one has none.
// 3. `apply(a)` needs a legal `a`, and never fails then. Copies are independent.
// 4. `outcome()` of a terminal position belongs to the side to move (so −1 when the mover has just won).
// 5. No game lasts longer than `max_plies()`; each game says in its header what happens there.
// 6. `board_hash()` names the stones alone, as repetition rules see them. `hash(s)` names everything the network sees
//    under symmetry `s`: equal exactly when the planes written by `encode(s, …)` are equal.
// 7. `encode(s, out)` writes `num_planes() × rows × cols` floats, side to move first, shown under the s-th symmetry;
//    `policy_index(s, a)` is where action `a` then stands in the network's policy. Symmetry 0 is the plain view (which
//    for Hex turns the board for the second player). `transform(s, a)` is the action on the real board; playing
//    transformed moves leads to the transformed position.
// 8. `move_text` ∘ `parse_move` and `position_text` ∘ `from_text` are identities: every reachable position can be
//    written and set up again with the same board, side, legal moves and planes.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tengen/base/game_id.h"
#include "tengen/base/rng.h"

namespace tengen {

using Action = std::uint16_t;  // an index into the policy, 0 … num_actions() − 1

enum class Outcome : std::int8_t { loss = -1, draw = 0, win = 1 };  // for the side to move
constexpr Outcome flip(Outcome o) { return static_cast<Outcome>(-static_cast<int>(o)); }

// Raised for wrong text, ids and options; the message is one line that says what would be right.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a picture needs. Cells are numbered row by row from the top left: cell = row * cols + col.
struct Layout {
  enum class Kind { cells, gravity, lines, hexes, discs, text };  // text: no board is drawn
  Kind kind;
  int rows, cols;
  bool first_row_at_bottom = true;  // coordinates: is row "1" drawn lowest?
  bool skip_letter_i = false;       // Go counts columns … g h j k …
};

template <class G>
concept Game = std::copyable<G> && requires(G state, const G& position, const GameId& id, Action a, Action* actions,
                                            int symmetry, int cell, float* planes, std::string_view text) {
  G(id);                                          // the starting position
  { G::from_text(id, text) } -> std::same_as<G>;  // throws Error
  { position.position_text() } -> std::same_as<std::string>;

  { position.num_actions() } -> std::same_as<int>;
  { position.max_plies() } -> std::same_as<int>;
  { position.ply() } -> std::same_as<int>;
  { position.to_move() } -> std::same_as<int>;
  { position.legal(actions) } -> std::same_as<int>;  // room for num_actions() needed
  { position.is_legal(a) } -> std::same_as<bool>;
  { state.apply(a) } -> std::same_as<void>;
  { position.terminal() } -> std::same_as<bool>;
  { position.outcome() } -> std::same_as<Outcome>;  // terminal positions only

  { position.board_hash() } -> std::same_as<std::uint64_t>;
  { position.hash(symmetry) } -> std::same_as<std::uint64_t>;
  { position.num_symmetries() } -> std::same_as<int>;
  { position.inverse(symmetry) } -> std::same_as<int>;
  { position.transform(symmetry, a) } -> std::same_as<Action>;
  { position.policy_index(symmetry, a) } -> std::same_as<Action>;
  { position.num_planes() } -> std::same_as<int>;
  { position.schema() } -> std::same_as<std::string_view>;  // names of the planes in order; its hash is the schema hash
  { position.encode(symmetry, planes) } -> std::same_as<void>;

  { position.layout() } -> std::same_as<Layout>;
  { position.stone(cell) } -> std::same_as<int>;                  // 0 empty, 1 first player's, 2 second player's
  { position.landing_cell(a) } -> std::same_as<int>;              // where `a` would put a stone; −1 for pass and swap
  { position.winning_line() } -> std::same_as<std::vector<int>>;  // cells to highlight; empty when there is none
  { position.move_text(a) } -> std::same_as<std::string>;
  { position.parse_move(text) } -> std::same_as<std::optional<Action>>;  // syntax only; legality is is_legal's
};

// ABILITIES: what a game may offer besides. Nothing needs them, and no result depends on them but the order in which
// proofs try moves: they are for speed.
//
// 9. `sample(rng)`: a uniformly random legal action, found faster than by listing all of them.
template <class G>
concept Sampling = requires(const G& position, Rng& rng) {
  { position.sample(rng) } -> std::same_as<Action>;
};

// 10. `legal_only_shrinks()`: does every legal action, from here on, stay legal until it is played or the game ends,
// and
//     is none added? So once true it stays true.
template <class G>
concept Shrinking = requires(const G& position) {
  { position.legal_only_shrinks() } -> std::same_as<bool>;
};

// 11. `kRemembers`: what may follow depends on earlier positions that the planes do not show (superko), so a table of
//     positions proves nothing. Of any other game, two positions with equal planes have the same legal actions, the
//     same end and outcome, and equal planes after the same action.
template <class G>
concept Remembers = requires { G::kRemembers; };
template <class G>
concept SaysWhetherItRemembers = requires(const G& position) {
  { position.remembers() } -> std::same_as<bool>;
};
template <class G>
bool remembers(const G& position) {
  if constexpr (SaysWhetherItRemembers<G>) return position.remembers();
  return Remembers<G>;
}

// 12. For a game that nothing ends but a win, or its very last ply, which `sees_wins()` says: with other options a
//     game may have other ends. `wins_at_once()`, not of a finished game: can the side to move win with its next move?
//     And where it cannot, `safe(out)`: the actions, in the order of `legal`, after which the opponent cannot either.
//     That spares trying every move of every position: looking three plies ahead in Connect4 takes less than a quarter
//     of the time.
template <class G>
concept SeesWins = requires(const G& position, Action* out) {
  { position.sees_wins() } -> std::same_as<bool>;
  { position.wins_at_once() } -> std::same_as<bool>;
  { position.safe(out) } -> std::same_as<int>;
};
// Does nothing but a win end the game within so many plies?
template <Game G>
bool only_wins_end(const G& position, int plies = 1) {
  if constexpr (SeesWins<G>) return position.sees_wins() && position.ply() + plies < position.max_plies();
  return false;
}

// 13. `promising(out)`, of a game that sees its wins and where none is at once: the actions of `safe`, those first that
//     a proof should try first. Proofs of Connect4 then reach three plies further back in the same time.
template <class G>
concept Guides = SeesWins<G> && requires(const G& position, Action* out) {
  { position.promising(out) } -> std::same_as<int>;
};

// 14. `forcing(out)`, of a game that sees its wins, where none is at once and more than two plies are left: the actions
//     of `safe`, in their order, that leave the opponent at most one safe answer. A chain of them may be a forced win
//     far beyond what full search sees, and costs little to follow: Gomoku's wins by fours.
template <class G>
concept Forces = SeesWins<G> && requires(const G& position, Action* out) {
  { position.forcing(out) } -> std::same_as<int>;
};

// What only some games can do. Whoever asks gets nothing from the others, and never asks which game it is.

struct Score {
  double first, second;
};

// The result is a count: whoever has more wins, equal is a draw. The first actions are the cells, in their order.
template <class G>
concept Counted = requires(const G& position) {
  { position.score() } -> std::same_as<Score>;  // what each side has if the game ends here, komi included
  {
    position.owners()
  } -> std::same_as<std::vector<int>>;  // for whom each cell counts then: 0 nobody, 1 first, 2 second
};

// A type that stands for many games says of each whether it is counted.
template <class G>
concept SaysWhetherItIsCounted = Counted<G> && requires(const G& position) {
  { position.counted() } -> std::same_as<bool>;
};
template <class G>
bool counted(const G& position) {
  if constexpr (SaysWhetherItIsCounted<G>) return position.counted();
  return Counted<G>;
}

// 15. Of a game that is counted and that players may prolong for nothing. `settled()`: is every cell, as `owners()` has
//     it, out of reach of the other side? Whatever the opponent does from here on, a side can keep all it has now,
//     until the end of the game, by answering each move; so the score as it stands is what the position is worth. False
//     where that is not known: this may be asked of every position, and has to be fast. `counted_after()`: the ply at
//     which self-play, which must not last as long as the rules allow, scores a game as it stands.
template <class G>
concept Settles = Counted<G> && requires(const G& position) {
  { position.settled() } -> std::same_as<bool>;
  { position.counted_after() } -> std::same_as<int>;
};
// Who has more if the game ends here: 1 the first player, −1 the second.
template <Counted G>
int leader(const G& position) {
  const Score score = position.score();
  return (score.first > score.second) - (score.first < score.second);
}
// Is a game of self-play scored here?
template <Game G>
bool counts_here(const G& position) {
  if constexpr (Settles<G>) return position.ply() >= position.counted_after() || position.settled();
  return false;
}

// 16. `vary(id, rng)`: draws the options of a game anew that the network sees (`input` in its spec), so that it learns
// to
//     play with all their values: the usual one most likely. Only the count of the result may depend on such an option.
template <class G>
concept Varies = requires(GameId& id, Rng& rng) {
  { G::vary(id, rng) } -> std::same_as<void>;
};
// The id of a game of self-play: its number gives it.
template <class G>
GameId varied(GameId id, std::uint64_t seed, std::uint64_t game) {
  if constexpr (Varies<G>) {
    Rng rng(seed, game, 0, Purpose::vary);
    G::vary(id, rng);
  }
  return id;
}

// Stones that leave the board are the other side's prisoners.
template <class G>
concept Captures = requires { G::kCaptures; };

// What compiling a game type into the registry needs besides: name, sizes and options, for ids and for --help; and
// whether this storage width is large enough.
template <class G>
concept BuiltIn = Game<G> && requires(const GameId& id) {
  { G::spec() } -> std::same_as<const GameSpec&>;
  { G::fits(id) } -> std::same_as<bool>;
};

// Rules that live elsewhere (erased/foreign.h), where a move costs far more than a copy. So a search keeps the position
// of every node, `kept_bytes()` each beside the node itself. `serial()`: may only one thread at a time ask about
// positions? Then it does so while it has what `hold()` returns: one lock for many questions.
template <class G>
concept Foreign = Game<G> && requires(const G& position) {
  { position.kept_bytes() } -> std::same_as<std::size_t>;
  { position.serial() } -> std::same_as<bool>;
  { position.hold() } -> std::same_as<std::shared_ptr<void>>;
};
template <class G>
std::size_t kept_bytes(const G& position) {
  if constexpr (Foreign<G>) return position.kept_bytes();
  return 0;
}
template <class G>
int threads_for(const G& position, int threads) {
  if constexpr (Foreign<G>)
    if (position.serial()) return 1;
  return threads;
}
template <class G>
std::shared_ptr<void> hold(const G& position) {
  if constexpr (Foreign<G>) return position.hold();
  return nullptr;
}

// Pieces that are more than a stone, moves that begin on a cell, and positions that are told in words.
struct MoveCells {
  int from = -1, to = -1;
};
template <class G>
concept Pictured = requires(const G& position, Action a, int cell) {
  { position.glyph(cell) } -> std::same_as<std::string>;  // empty where there is only a stone, or nothing
  { position.has_glyphs() } -> std::same_as<bool>;
  { position.move_cells(a) } -> std::same_as<MoveCells>;
  { position.text() } -> std::same_as<std::string>;
};

}  // namespace tengen
