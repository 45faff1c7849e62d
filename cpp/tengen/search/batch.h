// N trees searched together: each step gathers leaves of all of them, and the network is asked once for the whole
// batch.
//
//   backup    1  answers go into the cache                            in tree order
//             2  every tree expands and backs up its leaves           in parallel, trees are independent
//   select    3  every tree gathers its leaves, writes their planes   in parallel
//             4  leaves get rows of the batch, equal ones share one   in tree order
//
// So results never depend on the number of threads. `step` is backup and select with 2 and 3 in one pass: a tree comes
// from memory once, and the threads meet once. That spares some 5 % of the time trees take. This is the only threaded
// file of the search.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>

#include "tengen/base/parallel.h"
#include "tengen/search/any_search.h"
#include "tengen/search/search.h"

namespace tengen {

// For all trees of a batch together, where max_nodes does not say how large each may become.
constexpr std::size_t kTreesMemory = std::size_t{1} << 30;

// The keys of a batch's rows, each once, and which row has a key: open addressing in a table that only ever grows, so
// that no batch allocates. Keys are hashes, their low bits are as good as any.
class Rows {
 public:
  // Forgets all rows; `keys` has room for those to come, `most` of them at most.
  void begin(std::uint64_t* keys, std::size_t most) {
    std::size_t size = 16;
    while (size < 2 * most) size *= 2;
    clear();
    table_.assign(std::max(size, table_.size()), kEmpty);
    keys_ = keys;
  }
  void clear() { size_ = 0; }
  // The row of `key`; a key seen for the first time gets the next one.
  std::size_t find_or_add(std::uint64_t key) {
    for (std::size_t i = key;; ++i) {
      std::uint32_t& row = table_[i & (table_.size() - 1)];
      if (row == kEmpty) {
        row = static_cast<std::uint32_t>(size_);
        keys_[size_++] = key;
      }
      if (keys_[row] == key) return row;
    }
  }
  std::uint64_t key(std::size_t row) const { return keys_[row]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  std::vector<std::uint32_t> table_;
  std::uint64_t* keys_ = nullptr;
  std::size_t size_ = 0;
};

template <Game G>
class BatchSearch : public AnySearch {
 public:
  BatchSearch(const G& start, int trees, const SearchConfig& config, std::uint64_t seed, int threads)
      : pool_(std::min(threads_for(start, threads > 0 ? threads : hardware_threads()), trees)),
        cache_(static_cast<std::size_t>(config.cache_mb) << 20, start.num_actions(), counted(start)),
        no_cache_(0, start.num_actions(), counted(start)),
        actions_(static_cast<std::size_t>(start.num_actions())),
        plane_floats_(static_cast<std::size_t>(start.num_planes() * start.layout().rows * start.layout().cols)) {
    validate(config);
    // One tree more than asked for: the memory a re-rooted tree moves into.
    const auto bytes = Tree::bytes_per_node(start.num_actions()) + kept_bytes(start);
    const auto room = kTreesMemory / static_cast<std::size_t>(trees + 1) / bytes;
    const auto most = std::size_t{kNone} / static_cast<std::size_t>(start.num_actions());
    max_nodes_ = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(config.max_nodes ? static_cast<std::size_t>(config.max_nodes) : room, 2, most));
    for (int t = 0; t < trees; ++t) {
      searches_.push_back(std::make_unique<Search<G>>(start, config, seed, max_nodes_));
      searches_.back()->heed(stop_);
    }
    spare_ = std::make_unique<Tree>(max_nodes_, start.num_actions(), counted(start));
    gathered_.resize(searches_.size());
    active_.assign(searches_.size(), 1);
    reserve_rows(0, config);
  }

  int trees() const override { return static_cast<int>(searches_.size()); }
  void configure(int tree, const SearchConfig& config) override {
    validate(config);
    cancel();
    running_ = false;
    reserve_rows(static_cast<std::size_t>(tree), config);
    at(tree).configure(config);
  }
  const SearchConfig& config(int tree) const override { return at(tree).config(); }
  void restart(int tree, const G& state, std::uint64_t game) {
    cancel();
    running_ = false;
    at(tree).reset(state, game);
  }
  bool is_legal(int tree, int action) const override {
    const G& state = at(tree).state();
    return action >= 0 && action < state.num_actions() && state.is_legal(static_cast<Action>(action));
  }
  void advance(int tree, Action action) override {
    cancel();
    running_ = false;
    at(tree).advance(action, *spare_);
  }

  void activate(std::span<const int> trees) override {
    cancel();
    running_ = false;
    active_.assign(searches_.size(), 0);
    for (const int t : trees) active_[static_cast<std::size_t>(t)] = 1;
  }

  int select() override {
    cancel();
    begin();
    return whole([&] {
      pool_.run(searches_.size(), block(), [this](std::size_t t) { gather_from(t); }, answers_soon_);
      return gathered();
    });
  }
  int rows() const override { return static_cast<int>(rows_.size()); }
  std::shared_ptr<const LeafRows> lent() const override { return lent_; }

  void backup(const EvaluatedRows& answers) override {
    keep(answers);
    whole([&] { pool_.run(searches_.size(), block(), [&](std::size_t t) { answer(t, answers); }); });
    forget_leaves();
  }
  int step(const EvaluatedRows& answers) override {
    keep(answers);
    begin();
    const auto both = [&](std::size_t t) {
      answer(t, answers);
      gather_from(t);
    };
    return whole([&] {
      pool_.run(searches_.size(), block(), both, answers_soon_);
      return gathered();
    });
  }

  void cancel() override {
    if (leaves_ == 0) return;
    for (const auto& search : searches_) search->cancel();
    forget_leaves();
  }

  void run_rollouts(bool nearby) override {
    cancel();
    begin();
    whole([&] {
      pool_.run(searches_.size(), 1, [&](std::size_t t) {
        if (active_[t]) at(t).run_rollouts(nearby, no_cache_, [&] { return interrupted(t); });
      });
    });
    end();
  }

  void stop() override { stop_.request(); }
  void set_network(std::uint64_t hash) override { cache_.set_network(hash); }

  bool finished(int tree) const override { return at(tree).finished(); }
  bool expanded(int tree) const override { return at(tree).expanded(); }
  std::uint32_t visits(int tree) const override { return at(tree).visits(); }
  int best(int tree) const override { return at(tree).best(); }
  int choose(int tree) const override { return at(tree).choose(); }
  std::vector<double> target(int tree) const override {
    const auto& search = at(tree);
    std::vector<double> out(static_cast<std::size_t>(search.state().num_actions()), 0.0);
    const auto by_edge = search.target();
    const Edge* edges = search.tree().edges(search.tree().root());
    for (std::size_t i = 0; i < by_edge.size(); ++i) out[edges[i].action] = by_edge[i];
    return out;
  }
  Value worth(int tree) const override { return at(tree).worth(); }
  std::uint32_t nodes(int tree) const override { return at(tree).tree().size(); }
  std::size_t bytes(int tree) const override { return at(tree).tree().bytes(); }
  SearchCounts counts() const override { return counts_; }

  bool find(int tree, std::span<const Action> path, NodeView& out) const override {
    const auto& search = at(tree);
    std::uint32_t index = 0;
    for (const Action action : path) {
      const Node& node = search.tree().node(index);
      if (node.kind != Node::Kind::expanded) return false;
      const Edge* edges = search.tree().edges(node);
      const auto* edge = std::find_if(edges, edges + node.num_edges, [&](const Edge& e) { return e.action == action; });
      if (edge == edges + node.num_edges || edge->child == kNone) return false;
      index = edge->child;
    }
    out = view(search, index);
    return true;
  }

 protected:
  Search<G>& at(std::size_t t) { return *searches_[t]; }
  Tree& spare() { return *spare_; }
  template <class Body>
  void in_parallel(std::size_t n, const Body& body) {
    pool_.run(n, 1, body);
  }
  virtual void gather(std::size_t t) {
    at(t).gather(cache_, [&] { return interrupted(t); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  // A network takes longer, and wants the cores that waiting threads would keep from it: a tenth of its speed on two.
  static constexpr std::chrono::microseconds kSoon{200};

  Search<G>& at(int t) { return *searches_[static_cast<std::size_t>(t)]; }
  const Search<G>& at(int t) const { return *searches_[static_cast<std::size_t>(t)]; }
  // Trees handed to a thread at a time: few enough hand-overs, small enough shares to balance.
  std::size_t block() const {
    return std::max<std::size_t>(1, searches_.size() / (static_cast<std::size_t>(pool_.threads()) * 8));
  }

  // A search runs from its first select to the one that finds nothing to do; its time begins there, and a stop() from
  // before it does not concern it. stop() and the end of time both end it, and the next select goes on.
  void begin() {
    if (running_) return;
    running_ = true;
    started_ = Clock::now();
    stop_.clear();
  }
  void end() { running_ = false; }
  // All of a step, or as if none of its leaves had ever been gathered: memory may run out in any of the threads.
  template <class Step>
  auto whole(const Step& step) {
    const auto held = hold(searches_[0]->state());
    try {
      return step();
    } catch (...) {
      for (const auto& search : searches_) search->cancel();
      forget_leaves();
      end();
      throw;
    }
  }
  // Never before the root is evaluated: whoever cuts a search short still gets a move from it.
  bool interrupted(std::size_t t) {
    if (!searches_[t]->expanded()) return false;
    if (stop_.requested()) return true;
    const double seconds = searches_[t]->config().seconds;
    return seconds > 0 && std::chrono::duration<double>(Clock::now() - started_).count() >= seconds;
  }

  // A leaf's place among all the leaves the trees could have.
  std::size_t slot(std::size_t tree, int leaf) const { return first_slot_[tree] + static_cast<std::size_t>(leaf); }
  float* row_planes(std::size_t row) { return lent_->planes.get() + row * plane_floats_; }

  // Room for every leaf that every tree may have, once one of them has another configuration. What was lent before
  // stays with its borrowers. Nothing changes when memory runs out.
  void reserve_rows(std::size_t tree, const SearchConfig& config) {
    std::vector<std::size_t> first(searches_.size());
    std::size_t rows = 0;
    for (std::size_t t = 0; t < searches_.size(); ++t) {
      first[t] = rows;
      rows += static_cast<std::size_t>((t == tree ? config : at(t).config()).leaves);
    }
    if (rows > slot_keys_.size()) {
      auto lent = std::make_shared<LeafRows>();
      lent->planes = std::make_unique_for_overwrite<float[]>(rows * plane_floats_);
      lent->keys = std::make_unique_for_overwrite<std::uint64_t[]>(rows);
      slot_rows_.resize(rows);
      slot_keys_.resize(rows);
      lent_ = std::move(lent);
    }
    first_slot_ = std::move(first);
  }

  Output output(const EvaluatedRows& answers, std::size_t row) const {
    const float lead = answers.lead ? answers.lead[row] : static_cast<float>(kNoLead);
    return {answers.policy + row * actions_, answers.wdl + row * 3, answers.moves_left[row], lead};
  }

  void keep(const EvaluatedRows& answers) {
    answers_soon_ = Clock::now() - asked_ < kSoon;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Output known = output(answers, row);
      cache_.insert(rows_.key(row), known.policy, known.wdl, known.moves_left, known.lead);
    }
    counts_.evaluations += rows_.size();
    counts_.duplicates += leaves_ - rows_.size();
    ++counts_.batches;
  }
  void answer(std::size_t t, const EvaluatedRows& answers) {
    at(t).answer([&](int i) { return output(answers, slot_rows_[slot(t, i)]); }, [&] { return interrupted(t); });
  }
  void gather_from(std::size_t t) {
    if (active_[t]) gather(t);
    gathered_[t] = at(t).pending();
    for (int i = 0; i < gathered_[t]; ++i) {
      const auto& leaf = at(t).leaf(i);
      slot_keys_[slot(t, i)] = leaf.key;
      leaf.state.encode(leaf.symmetry, row_planes(slot(t, i)));
    }
  }
  int gathered() {
    assign_rows();
    asked_ = Clock::now();
    if (rows() == 0) end();
    return rows();
  }

  void forget_leaves() {
    rows_.clear();
    leaves_ = 0;
  }

  // Goes through all leaves tree by tree; each new key gets the next row of the batch. Planes were written where they
  // belong if every tree has all its leaves and no two are equal; the others move up.
  void assign_rows() {
    leaves_ = std::accumulate(gathered_.begin(), gathered_.end(), std::size_t{0});
    rows_.begin(lent_->keys.get(), leaves_);
    for (std::size_t t = 0; t < searches_.size(); ++t)
      for (int i = 0; i < gathered_[t]; ++i) {
        const std::size_t from = slot(t, i), next = rows_.size();
        const std::size_t row = rows_.find_or_add(slot_keys_[from]);
        slot_rows_[from] = static_cast<std::uint32_t>(row);
        if (row == next && row != from) std::copy_n(row_planes(from), plane_floats_, row_planes(row));
      }
  }

  static NodeView view(const Search<G>& search, std::uint32_t index) {
    const Tree& tree = search.tree();
    const Node& node = tree.node(index);
    NodeView out{node.visits,
                 node.q,
                 node.d,
                 node.m,
                 node.s,
                 tree.lead(index),
                 node.v,
                 node.seen,
                 node.lo,
                 node.hi,
                 node.dist(),
                 node.in_flight,
                 node.kind == Node::Kind::terminal,
                 node.kind == Node::Kind::expanded,
                 {}};
    if (!out.expanded) return out;
    const Parent parent(search.config(), tree, index, index == 0 ? &search.root() : nullptr);
    for (int i = 0; i < node.num_edges; ++i) {
      const Edge& edge = tree.edges(node)[i];
      const Terms t = terms(parent, i);
      const auto& noise = search.root().noise;
      EdgeView e{edge.action,
                 edge.prior,
                 index == 0 && !noise.empty() ? noise[static_cast<std::size_t>(i)] : 0,
                 t.value,
                 t.u,
                 t.moves_left,
                 t.lead,
                 0,
                 0,
                 0,
                 0,
                 0,
                 0,
                 -1,
                 1,
                 Bounds::kNoDistance,
                 0};
      if (const Node* child = parent.child(i)) {
        e.visits = child->visits, e.q = child->q, e.d = child->d, e.m = child->m, e.s = child->s;
        e.p = tree.lead(edge.child);
        e.lo = child->lo, e.hi = child->hi, e.dist = child->dist(), e.in_flight = child->in_flight;
      }
      out.edges.push_back(e);
    }
    return out;
  }

  ThreadPool pool_;
  Cache cache_, no_cache_;
  std::size_t actions_, plane_floats_;
  std::uint32_t max_nodes_ = 0;
  std::vector<std::unique_ptr<Search<G>>> searches_;
  std::vector<char> active_;
  std::unique_ptr<Tree> spare_;

  std::vector<std::size_t> first_slot_;  // [trees]
  std::vector<int> gathered_;            // [trees] leaves in this batch
  // By slot, apart from the trees: numbering the leaves touches little of what other threads work on.
  std::vector<std::uint64_t> slot_keys_;
  std::vector<std::uint32_t> slot_rows_;
  std::size_t leaves_ = 0;  // in this batch
  Rows rows_;
  std::shared_ptr<LeafRows> lent_;
  SearchCounts counts_;
  bool running_ = false;
  Clock::time_point started_;
  Clock::time_point asked_;   // when the last batch was ready
  bool answers_soon_ = true;  // did the one before it come back at once?
  Stop stop_;
};

}  // namespace tengen
