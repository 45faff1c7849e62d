// Whole games, played natively: each slot searches, moves, finishes its game and begins the next at once, until it
// needs the network. So every batch holds a leaf of every slot, unless the cache answers for whole games.
#pragma once

#include <memory>
#include <mutex>

#include "tengen/proof/labels.h"
#include "tengen/search/batch.h"
#include "tengen/selfplay/any_selfplay.h"
#include "tengen/selfplay/random_moves.h"

namespace tengen {

// A slot that never needs the network hands over after this many games; a batch without leaves is possible then.
constexpr std::uint64_t kGamesPerStep = 8;

// Share of the games that nobody may resign: there it is seen how often a resignation would have been wrong.
constexpr double kResignChecked = 0.1;

template <Game G>
class SelfPlay : public BatchSearch<G>, public AnySelfPlay {
 public:
  SelfPlay(const GameId& id, int slots, const SearchConfig& full, const SelfPlayConfig& config, std::uint64_t seed,
           int threads, std::uint64_t first_game)
      : BatchSearch<G>(G(id), slots, full, seed, threads),
        id_(id),
        start_(id),
        config_(config),
        seed_(seed),
        full_(full),
        fast_(fast_search(full, config)),
        slots_(static_cast<std::size_t>(slots)) {
    validate(fast_);
    prove_game(start_, {}, 0, config.label_nodes);  // throws where it cannot be done
    for (std::size_t t = 0; t < slots_.size(); ++t) {
      slots_[t].record.game = first_game + t;
      begin_game(t);
    }
  }

  // What is proven of finished games is proven here, of many side by side. While they are played, every other thread
  // would wait at the end of the batch for the one that proves.
  std::vector<FinishedGame> take_records() override {
    std::vector<FinishedGame> out;
    for (Slot& slot : slots_) {
      std::move(slot.finished.begin(), slot.finished.end(), std::back_inserter(out));
      slot.finished.clear();
    }
    this->in_parallel(out.size(), [&](std::size_t i) {
      FinishedGame& game = out[i];
      const auto searched =
          std::ranges::find_if(game.search, [](auto kind) { return kind != FinishedGame::Search::none; });
      const auto opening = static_cast<std::size_t>(searched - game.search.begin());  // nobody learns from it
      game.exact = prove_game(start_of(game.game), game.moves, opening, config_.label_nodes);
    });
    return out;
  }

  std::vector<FinishedGame> under_way(int most) const override {
    std::vector<FinishedGame> out;
    for (std::size_t t = 0; t < slots_.size() && t < static_cast<std::size_t>(std::max(0, most)); ++t)
      out.push_back(slots_[t].record);
    return out;
  }

  SelfPlayCounts play_counts() const override {
    SelfPlayCounts total;
    for (const Slot& slot : slots_) {
      total.games += slot.counts.games;
      total.moves += slot.counts.moves;
      total.positions += slot.counts.positions;
      total.simulations += slot.counts.simulations;
    }
    return total;
  }

  void set_release(std::uint32_t number) override { release_ = number; }

  std::uint32_t oldest_release() const override {
    std::uint32_t oldest = release_;
    for (const Slot& slot : slots_) {
      const FinishedGame& first = slot.finished.empty() ? slot.record : slot.finished.front();
      if (!first.release.empty()) oldest = std::min(oldest, first.release.front());
    }
    return oldest;
  }

  // While this is on, a slot plays the move of the search under way and then rests, so that the next network finds no
  // search half done by another.
  void drain(bool on) override {
    draining_ = on;
    for (Slot& slot : slots_) slot.rests = false;
  }

 protected:
  void gather(std::size_t t) override {
    if (draining_ && slots_[t].rests) return;
    if (slots_[t].torn) begin_game_again(t);
    const std::uint64_t enough = slots_[t].counts.games + kGamesPerStep;
    while (slots_[t].counts.games < enough) {
      BatchSearch<G>::gather(t);
      if (this->at(t).pending() > 0 || !this->at(t).finished()) return;
      slots_[t].torn = true;
      play_move(t);
      slots_[t].torn = false;
      if (draining_) {
        slots_[t].rests = true;
        return;
      }
    }
  }

 private:
  // Members grouped by lifetime: a game's, the slot's.
  struct Slot {
    FinishedGame record;
    bool may_resign = false;
    std::uint32_t inherited = 0;  // visits the search under way began with
    bool rests = false;           // its move is played, and the next search waits
    std::vector<FinishedGame> finished;
    SelfPlayCounts counts;
    bool torn = false;  // memory ran out in the midst of a move: the record does not match the search
  };

  Rng stream(const Slot& slot, int ply, Purpose purpose) const {
    return Rng(seed_, slot.record.game, static_cast<std::uint64_t>(ply), purpose);
  }
  // Playout-cap randomisation: which moves are searched in full does not depend on the game's course.
  bool searched_in_full(const Slot& slot, int ply) const {
    return stream(slot, ply, Purpose::cap).uniform() < config_.full_share;
  }
  const SearchConfig& search_at(const Slot& slot, int ply) const { return searched_in_full(slot, ply) ? full_ : fast_; }

  GameId id_of(std::uint64_t game) const { return config_.vary ? varied<G>(id_, seed_, game) : id_; }
  G start_of(std::uint64_t game) const { return config_.vary ? G(id_of(game)) : start_; }

  void begin_game(std::size_t t) {
    Slot& slot = slots_[t];
    slot.record.id = id_of(slot.record.game).text();
    G state = start_of(slot.record.game);
    for (const Action a : draw_opening(start_of(slot.record.game), config_, seed_, slot.record.game)) {
      state.apply(a);
      note(slot.record, a, FinishedGame::Search::none, {});
    }
    slot.may_resign = config_.resign_below > -1 && stream(slot, 0, Purpose::resign).uniform() >= kResignChecked;
    this->at(t).restart(state, slot.record.game, search_at(slot, state.ply()));
    slot.inherited = 0;
  }

  void begin_game_again(std::size_t t) {
    FinishedGame empty;
    empty.game = slots_[t].record.game;
    slots_[t].record = std::move(empty);
    begin_game(t);
    slots_[t].torn = false;
  }

  // A finished search becomes a move, and perhaps the end of the game.
  void play_move(std::size_t t) {
    Slot& slot = slots_[t];
    auto& search = this->at(t);
    const int ply = search.state().ply();
    const bool full = searched_in_full(slot, ply);
    const Action action = static_cast<Action>(search.choose());
    slot.counts.moves += 1;
    slot.counts.positions += full;
    slot.counts.simulations += search.visits() - slot.inherited;
    if (full) note_children(slot.record, search);
    const Value value = search.worth();
    note(slot.record, action, full ? FinishedGame::Search::full : FinishedGame::Search::fast, value);

    const bool hopeless = config_.resign_below > -1 && value.v < config_.resign_below;
    const int mover = search.state().to_move();
    if (hopeless) slot.record.hopeless |= static_cast<std::int8_t>(1 << mover);
    advance(t, action);

    if (search.state().terminal()) {
      const int value = static_cast<int>(search.state().outcome());
      end_game(t, search.state().to_move() == 0 ? value : -value, FinishedGame::Ending::rules);
    } else if (counts_here(search.state())) {
      if constexpr (Settles<G>) end_game(t, leader(search.state()), FinishedGame::Ending::counted);
    } else if (hopeless && slot.may_resign) {
      end_game(t, mover == 0 ? -1 : 1, FinishedGame::Ending::resigned);
    }
  }

  // To the next position that is searched, or to the end.
  void advance(std::size_t t, Action action) {
    Slot& slot = slots_[t];
    auto& search = this->at(t);
    for (std::optional<Action> next = action; next;) {
      {
        const std::lock_guard lock(spare_mutex_);  // for the microseconds that moving a subtree takes
        search.advance(*next, search_at(slot, search.state().ply() + 1), this->spare());
      }
      if (search.state().terminal() || counts_here(search.state())) break;
      next = draw_stray(search.state(), config_, seed_, slot.record.game);
      if (next) note(slot.record, *next, FinishedGame::Search::none, {});
    }
    slot.inherited = search.visits();
  }

  void end_game(std::size_t t, int result, FinishedGame::Ending ending) {
    Slot& slot = slots_[t];
    slot.finished.reserve(slot.finished.size() + 1);  // what may fail for want of memory comes first
    slot.counts.games += 1;
    slot.record.result = result;
    slot.record.ending = ending;
    FinishedGame next;
    next.game = slot.record.game + slots_.size();  // so that numbers do not depend on which slot is faster
    slot.finished.push_back(std::exchange(slot.record, std::move(next)));
    begin_game(t);
  }

  void note(FinishedGame& record, Action action, FinishedGame::Search kind, const Value& value) const {
    record.moves.push_back(action);
    record.search.push_back(kind);
    record.release.push_back(release_);
    record.q.push_back(static_cast<float>(value.v));
    record.d.push_back(static_cast<float>(value.d));
    record.m.push_back(static_cast<float>(value.m));
    record.children.resize(record.moves.size(), 0);
  }

  static void note_children(FinishedGame& record, const Search<G>& search) {
    const Tree& tree = search.tree();
    const Edge* edges = tree.edges(tree.root());
    const auto target = search.target();
    std::int32_t children = 0;
    for (int i = 0; i < tree.root().num_edges; ++i) {
      const auto visits = edges[i].child == kNone ? 0 : tree.node(edges[i].child).visits;
      // As it is kept: a target may be too small for that, and is none then.
      const auto kept = static_cast<float>(target[static_cast<std::size_t>(i)]);
      if (visits == 0 && kept == 0) continue;
      record.action.push_back(edges[i].action);
      record.visits.push_back(visits);
      record.target.push_back(kept);
      ++children;
    }
    record.children.push_back(children);
  }

  GameId id_;
  G start_;
  SelfPlayConfig config_;
  std::uint64_t seed_;
  SearchConfig full_, fast_;
  std::uint32_t release_ = 0;  // of games that begin before the first network is named
  std::vector<Slot> slots_;
  std::mutex spare_mutex_;
  bool draining_ = false;
};

}  // namespace tengen
