// Games whose rules live elsewhere: in Python, in code that Python compiled, or in a shared library. `Rules` is what
// they must answer; `ForeignGame` stands behind the same concept as a built-in game, so there is one search for all.
//
// Asking such rules is slow, so nothing is asked twice. A position is a snapshot that all its copies share:
//
//   [ owners | rules | ply, outcome | moves … | legal → | planes → | drawn → | the rules' own state … ]
//
// Nothing in it changes once somebody else may look at it: a move on a shared snapshot makes a new one, a move on one's
// own changes it in place. What is found out later (legal moves, planes, the drawing) is published by one atomic
// exchange, for threads may ask at once; whoever comes second throws his own away.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tengen/game.h"

namespace tengen {

// What a cell shows: whose it is, 0 nobody's, and a glyph where a stone says too little.
struct DrawnCell {
  int owner = 0;
  std::string glyph;
};

// What is the same for all positions of such a game. Permutation 0 leaves everything as it is.
struct RuleFacts {
  struct Permutation {
    std::vector<std::uint16_t> cells, actions;  // where each goes
    int inverse = 0;
  };
  std::string name, title, schema;
  int actions = 0, most_plies = 0, planes = 0;
  Layout layout{Layout::Kind::text, 1, 1};
  std::vector<Permutation> symmetries;
  std::vector<Action> turned;  // the policy's place of an action for the second player; empty: its own
  std::size_t state_bytes = 0, kept_bytes = 0;
  bool remembers = true, counted = false, glyphs = false, serial = true, own_hash = false;

  std::size_t plane_floats() const { return static_cast<std::size_t>(planes * layout.rows * layout.cols); }
};

// Raised by rules that fail; ForeignGame adds the game and the moves.
struct RulesError : Error {
  using Error::Error;
};

// What a game answers. A state is `state_bytes` bytes, aligned to 16, that only the rules understand.
class Rules {
 public:
  static constexpr int kGoesOn = 2;

  explicit Rules(RuleFacts facts) : facts_(std::move(facts)) {}
  virtual ~Rules() = default;
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  const RuleFacts& facts() const { return facts_; }
  // Once, before anybody plays: the fingerprint is known only after a game was played through.
  void name_schema(std::string schema) { facts_.schema = std::move(schema); }

  virtual void start(void* state) const = 0;
  virtual void copy(const void* from, void* to) const = 0;
  virtual void destroy(void* state) const noexcept = 0;
  virtual void apply(void* state, Action action) const = 0;  // on failure the state is as it was, or of no use
  virtual void legal(const void* state, std::vector<Action>& out) const = 0;  // `out` is empty
  virtual int outcome(const void* state) const = 0;
  virtual void encode(const void* state, float* out) const = 0;
  virtual std::uint64_t hash(const void* state, int symmetry) const = 0;  // where own_hash

  virtual std::string move_text(const void* state, Action action) const = 0;
  virtual MoveCells move_cells(const void* state, Action action) const = 0;
  virtual std::vector<DrawnCell> cells(const void* state) const = 0;
  virtual std::vector<int> line(const void* state) const = 0;
  virtual std::string text(const void* state) const = 0;
  virtual Score score(const void* state) const = 0;
  virtual std::vector<int> owners(const void* state) const = 0;
  virtual std::shared_ptr<void> hold() const { return nullptr; }
  // Why they fail after these actions, where they can say more than the failure itself; empty otherwise.
  virtual std::string explain(std::span<const Action>) const { return {}; }

 private:
  RuleFacts facts_;
};

// A registered game: its rules, and the strings that its table points to. Kept for ever, as built-in tables are.
struct ForeignSpec : GameSpec {
  explicit ForeignSpec(std::shared_ptr<Rules> its)
      : GameSpec{its->facts().name, its->facts().title, {}, 0, false, {}, {}}, rules(std::move(its)) {}
  std::shared_ptr<Rules> rules;
};

// Shared by all copies of a position.
class Snapshot {
 public:
  static Snapshot* start(const Rules& rules);
  static Snapshot* copy(const Snapshot& from);
  void apply(Action action);  // on one's own snapshot only
  void keep() { owners_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
  }
  bool shared() const { return owners_.load(std::memory_order_acquire) > 1; }

  const Rules& rules() const { return rules_; }
  int ply() const { return static_cast<int>(moves_.size()); }
  int outcome() const { return outcome_; }
  std::span<const Action> moves() const { return moves_; }
  std::span<const Action> legal() const;
  const std::vector<DrawnCell>& drawn() const;
  // Asked once by the hash and once by whoever shows them to a network: kept from one to the other.
  std::unique_ptr<float[]> take_planes() const;
  void give_back(std::unique_ptr<float[]> planes) const {
    delete[] planes_.exchange(planes.release(), std::memory_order_acq_rel);
  }

  // Asks the rules; what they say when they fail is told with the game and the moves.
  template <class Question>
  auto ask(const Question& question) const {
    try {
      return question(rules_, static_cast<const void*>(state()));
    } catch (const RulesError& error) {
      throw Error(blame(error.what()));
    }
  }
  std::string blame(const std::string& what) const;

 private:
  explicit Snapshot(const Rules& rules) : rules_(rules) {}
  ~Snapshot() = default;
  void end() noexcept;
  void settle();  // what every position is asked at once
  void check(const std::vector<Action>& legal) const;
  static std::size_t offset();
  void* state() { return reinterpret_cast<std::byte*>(this) + offset(); }
  const void* state() const { return reinterpret_cast<const std::byte*>(this) + offset(); }
  static Snapshot* allocate(const Rules& rules);

  std::atomic<std::uint32_t> owners_{1};
  std::int8_t outcome_ = Rules::kGoesOn;
  const Rules& rules_;
  std::vector<Action> moves_;
  mutable std::atomic<const Action*> legal_{nullptr};  // how many there are, then the actions
  mutable std::atomic<float*> planes_{nullptr};
  mutable std::atomic<const std::vector<DrawnCell>*> drawn_{nullptr};
};

class ForeignGame {
 public:
  explicit ForeignGame(const GameId& id) : at_(Snapshot::start(*static_cast<const ForeignSpec*>(id.spec)->rules)) {}
  ForeignGame(const ForeignGame& other) : at_(other.at_) { at_->keep(); }
  ForeignGame(ForeignGame&& other) noexcept : at_(other.at_) { at_->keep(); }
  ForeignGame& operator=(const ForeignGame& other) {
    other.at_->keep();
    std::exchange(at_, other.at_)->drop();
    return *this;
  }
  ForeignGame& operator=(ForeignGame&& other) noexcept {
    std::swap(at_, other.at_);
    return *this;
  }
  ~ForeignGame() { at_->drop(); }

  int num_actions() const { return facts().actions; }
  int max_plies() const { return facts().most_plies; }
  int ply() const { return at_->ply(); }
  int to_move() const { return at_->ply() & 1; }
  bool terminal() const { return at_->outcome() != Rules::kGoesOn; }
  Outcome outcome() const { return static_cast<Outcome>(at_->outcome()); }
  int legal(Action* out) const;
  bool is_legal(Action a) const;
  void apply(Action a);

  std::uint64_t board_hash() const { return hash(0); }
  std::uint64_t hash(int s) const;
  int num_symmetries() const { return static_cast<int>(facts().symmetries.size()); }
  int inverse(int s) const { return symmetry(s).inverse; }
  Action transform(int s, Action a) const { return symmetry(s).actions[a]; }
  Action policy_index(int s, Action a) const {
    return symmetry(s).actions[to_move() == 1 && !facts().turned.empty() ? facts().turned[a] : a];
  }
  std::string_view schema() const { return facts().schema; }
  int num_planes() const { return facts().planes; }
  void encode(int s, float* out) const;

  bool remembers() const { return facts().remembers; }
  bool counted() const { return facts().counted; }
  Score score() const;
  std::vector<int> owners() const;
  std::size_t kept_bytes() const { return facts().kept_bytes; }
  bool serial() const { return facts().serial; }
  std::shared_ptr<void> hold() const { return at_->rules().hold(); }

  Layout layout() const { return facts().layout; }
  int stone(int cell) const { return at_->drawn()[static_cast<std::size_t>(cell)].owner; }
  std::string glyph(int cell) const { return at_->drawn()[static_cast<std::size_t>(cell)].glyph; }
  bool has_glyphs() const { return facts().glyphs; }
  MoveCells move_cells(Action a) const;
  int landing_cell(Action a) const { return move_cells(a).to; }
  std::vector<int> winning_line() const;
  std::string text() const;
  std::string move_text(Action a) const;
  std::optional<Action> parse_move(std::string_view text) const;
  // A position is told by the moves that led to it: rules need not say what else it holds.
  std::string position_text() const;
  static ForeignGame from_text(const GameId& id, std::string_view text);

 private:
  const RuleFacts& facts() const { return at_->rules().facts(); }
  const RuleFacts::Permutation& symmetry(int s) const { return facts().symmetries[static_cast<std::size_t>(s)]; }

  Snapshot* at_;
};

static_assert(Game<ForeignGame> && Foreign<ForeignGame> && Counted<ForeignGame> && Pictured<ForeignGame>);

}  // namespace tengen
