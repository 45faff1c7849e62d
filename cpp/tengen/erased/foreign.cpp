#include "tengen/erased/foreign.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <new>

#include "tengen/base/text.h"
#include "tengen/erased/entry.h"

namespace tengen {
namespace {

constexpr std::size_t kAlignment = 16;

// Calls each(plane's first number, cell, where a symmetry shows the cell) for all numbers of planes in their order.
template <class Each>
void for_each_number(const RuleFacts& facts, const std::vector<std::uint16_t>& cells, const Each& each) {
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(facts.planes); ++plane)
    for (std::size_t cell = 0; cell < cells.size(); ++cell) each(plane * cells.size(), cell, cells[cell]);
}

// Of planes as a symmetry shows them: a sum over the numbers that are not 0, so that most of a board costs nothing.
std::uint64_t hash_of(const RuleFacts& facts, const float* planes, const std::vector<std::uint16_t>& cells) {
  std::uint64_t sum = facts.plane_floats();
  for_each_number(facts, cells, [&](std::size_t first, std::size_t cell, std::size_t shown) {
    if (const float number = planes[first + cell]; number != 0)
      sum += mix64(std::bit_cast<std::uint32_t>(number) | static_cast<std::uint64_t>(first + shown + 1) << 32);
  });
  return mix64(sum);
}

}  // namespace

std::size_t Snapshot::offset() { return (sizeof(Snapshot) + kAlignment - 1) / kAlignment * kAlignment; }

Snapshot* Snapshot::allocate(const Rules& rules) {
  void* memory = ::operator new(offset() + rules.facts().state_bytes, std::align_val_t{kAlignment});
  return ::new (memory) Snapshot(rules);
}

namespace {
void release(Snapshot* snapshot) { ::operator delete(static_cast<void*>(snapshot), std::align_val_t{kAlignment}); }
}  // namespace

Snapshot* Snapshot::start(const Rules& rules) {
  Snapshot* made = allocate(rules);
  try {
    rules.start(made->state());
  } catch (const RulesError& error) {
    const std::string text = made->blame(error.what());
    made->~Snapshot();
    release(made);
    throw Error(text);
  } catch (...) {
    made->~Snapshot();
    release(made);
    throw;
  }
  try {
    made->settle();
  } catch (...) {
    made->drop();
    throw;
  }
  return made;
}

Snapshot* Snapshot::copy(const Snapshot& from) {
  Snapshot* made = allocate(from.rules_);
  try {
    made->moves_.reserve(from.moves_.size() + 1);  // for the move that follows
    made->moves_ = from.moves_;
    made->outcome_ = from.outcome_;
    from.ask([&](const Rules& rules, const void* state) { rules.copy(state, made->state()); });
  } catch (...) {
    made->~Snapshot();
    release(made);
    throw;
  }
  return made;
}

void Snapshot::end() noexcept {
  rules_.destroy(state());
  delete[] legal_.load(std::memory_order_relaxed);
  delete[] planes_.load(std::memory_order_relaxed);
  delete drawn_.load(std::memory_order_relaxed);
  this->~Snapshot();
  release(this);
}

void Snapshot::apply(Action action) {
  moves_.push_back(action);
  ask([&](const Rules& rules, const void*) { rules.apply(state(), action); });
  delete[] legal_.exchange(nullptr, std::memory_order_relaxed);
  delete[] planes_.exchange(nullptr, std::memory_order_relaxed);
  delete drawn_.exchange(nullptr, std::memory_order_relaxed);
  settle();
}

void Snapshot::settle() {
  const int outcome = ask([](const Rules& rules, const void* state) { return rules.outcome(state); });
  if (outcome < -1 || outcome > Rules::kGoesOn)
    throw Error(blame("outcome is " + std::to_string(outcome) + ", not 1, 0, -1 or None"));
  if (outcome == Rules::kGoesOn && ply() >= rules_.facts().most_plies)
    throw Error(blame("the game goes on after most_plies = " + std::to_string(rules_.facts().most_plies) + " plies"));
  outcome_ = static_cast<std::int8_t>(outcome);
}

std::string Snapshot::blame(const std::string& what) const {
  constexpr std::size_t kShown = 40;
  std::string moves;
  for (std::size_t i = moves_.size() > kShown ? moves_.size() - kShown : 0; i < moves_.size(); ++i)
    moves += (moves.empty() ? "" : " ") + std::to_string(moves_[i]);
  const std::string after =
      moves_.empty() ? "at the start" : "after the actions " + std::string(moves_.size() > kShown ? "… " : "") + moves;
  const std::string why = rules_.explain(moves_);
  return "the rules of " + rules_.facts().name + " fail " + after + ": " + (why.empty() ? what : why);
}

std::span<const Action> Snapshot::legal() const {
  const Action* known = legal_.load(std::memory_order_acquire);
  if (!known) {
    thread_local std::vector<Action> spare;
    auto found = std::exchange(spare, {});  // rules may ask other rules meanwhile
    found.clear();
    if (outcome_ == Rules::kGoesOn) {
      ask([&](const Rules& rules, const void* state) { rules.legal(state, found); });
      check(found);
    }
    auto made = std::make_unique_for_overwrite<Action[]>(found.size() + 1);
    made[0] = static_cast<Action>(found.size());
    std::ranges::copy(found, made.get() + 1);
    if (legal_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
    spare = std::move(found);
  }
  return {known + 1, known[0]};
}

void Snapshot::check(const std::vector<Action>& legal) const {
  if (legal.empty()) throw Error(blame("the game goes on, but no action is legal"));
  const int actions = rules_.facts().actions;
  for (std::size_t i = 0; i < legal.size(); ++i)
    if (legal[i] >= actions || (i > 0 && legal[i] <= legal[i - 1]))
      throw Error(blame("legal actions must be ascending and from 0 to " + std::to_string(actions - 1) + "; there is " +
                        std::to_string(legal[i])));
}

const std::vector<DrawnCell>& Snapshot::drawn() const {
  const std::vector<DrawnCell>* known = drawn_.load(std::memory_order_acquire);
  if (known) return *known;
  auto made = std::make_unique<std::vector<DrawnCell>>(
      ask([](const Rules& rules, const void* state) { return rules.cells(state); }));
  return drawn_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel) ? *made.release() : *known;
}

std::unique_ptr<float[]> Snapshot::take_planes() const {
  std::unique_ptr<float[]> found(planes_.exchange(nullptr, std::memory_order_acq_rel));
  if (found) return found;
  found = std::make_unique_for_overwrite<float[]>(rules_.facts().plane_floats());
  ask([&](const Rules& rules, const void* state) { rules.encode(state, found.get()); });
  return found;
}

int ForeignGame::legal(Action* out) const {
  const auto found = at_->legal();
  std::ranges::copy(found, out);
  return static_cast<int>(found.size());
}
bool ForeignGame::is_legal(Action a) const { return std::ranges::binary_search(at_->legal(), a); }
void ForeignGame::apply(Action a) {
  if (!at_->shared()) return at_->apply(a);
  Snapshot* own = Snapshot::copy(*at_);
  try {
    own->apply(a);
  } catch (...) {
    own->drop();
    throw;
  }
  std::exchange(at_, own)->drop();
}

std::uint64_t ForeignGame::hash(int s) const {
  if (facts().own_hash) return at_->ask([&](const Rules& rules, const void* state) { return rules.hash(state, s); });
  auto planes = at_->take_planes();
  const std::uint64_t found = hash_of(facts(), planes.get(), symmetry(s).cells);
  at_->give_back(std::move(planes));
  return found;
}
void ForeignGame::encode(int s, float* out) const {
  const auto planes = at_->take_planes();
  if (s == 0)
    std::copy_n(planes.get(), facts().plane_floats(), out);
  else
    for_each_number(facts(), symmetry(s).cells, [&](std::size_t first, std::size_t cell, std::size_t shown) {
      out[first + shown] = planes[first + cell];
    });
}

Score ForeignGame::score() const {
  return at_->ask([](const Rules& rules, const void* state) { return rules.score(state); });
}
std::vector<int> ForeignGame::owners() const {
  return at_->ask([](const Rules& rules, const void* state) { return rules.owners(state); });
}
MoveCells ForeignGame::move_cells(Action a) const {
  return at_->ask([&](const Rules& rules, const void* state) { return rules.move_cells(state, a); });
}
std::vector<int> ForeignGame::winning_line() const {
  if (!terminal()) return {};
  return at_->ask([](const Rules& rules, const void* state) { return rules.line(state); });
}
std::string ForeignGame::text() const {
  return at_->ask([](const Rules& rules, const void* state) { return rules.text(state); });
}
std::string ForeignGame::move_text(Action a) const {
  return at_->ask([&](const Rules& rules, const void* state) { return rules.move_text(state, a); });
}
std::optional<Action> ForeignGame::parse_move(std::string_view text) const {
  for (const Action a : at_->legal())
    if (move_text(a) == text) return a;
  return std::nullopt;
}

std::string ForeignGame::position_text() const {
  std::string out = "actions";
  for (const Action a : at_->moves()) out += ' ' + std::to_string(a);
  return out;
}
ForeignGame ForeignGame::from_text(const GameId& id, std::string_view text) {
  constexpr std::string_view kWord = "actions";
  const auto refuse = [&] {
    return Error("a position of " + id.text() + " is 'actions' and their numbers, not " + quoted(text));
  };
  if (!text.starts_with(kWord)) throw refuse();
  ForeignGame state(id);
  for (auto rest = text.substr(kWord.size()); !rest.empty();) {
    const auto digits = rest.substr(1, std::min(rest.find(' ', 1), rest.size()) - 1);
    int action = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), action);
    if (rest[0] != ' ' || error != std::errc{} || end != digits.data() + digits.size() || action < 0 ||
        action >= state.num_actions())
      throw refuse();
    if (!state.is_legal(static_cast<Action>(action)))
      throw Error("action " + std::to_string(action) + " at ply " + std::to_string(state.ply()) + " is not legal");
    state.apply(static_cast<Action>(action));
    rest.remove_prefix(1 + digits.size());
  }
  return state;
}

Entry foreign_entry(const ForeignSpec& spec) {
  return {&spec,
          [](const GameId& id) -> std::unique_ptr<AnyGame> { return std::make_unique<GameOf<ForeignGame>>(id); }};
}

}  // namespace tengen
