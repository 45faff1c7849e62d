// A batch of searches with the game's type erased: what bindings and viewers see.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tengen/search/config.h"
#include "tengen/search/tree.h"

namespace tengen {

class AnyState;

// A node and its moves, copied out for viewers and tests. Names as in docs/search.md.
struct EdgeView {
  int action;
  double prior, noise;
  double value, u, moves_left, lead;  // the terms of its score for the next selection
  std::uint32_t visits;
  double q, d, m, s, p;  // the child's own view; all zero before its first visit
  int lo, hi, dist;      // as in Bounds
  int in_flight;
};
struct NodeView {
  std::uint32_t visits;
  double q, d, m, s, p, v, seen;  // p: mean lead in points
  int lo, hi, dist;               // as in Bounds
  int in_flight;
  bool terminal, expanded;
  std::vector<EdgeView> edges;
};

// What the network is shown, with room for every leaf of every tree; the system commits what is used. Each batch
// overwrites the one before, but the memory lasts as long as anybody holds it.
struct LeafRows {
  std::unique_ptr<float[]> planes;        // [rows, planes, board rows, board cols]
  std::unique_ptr<std::uint64_t[]> keys;  // [rows]
};

// A batch's rows, as they come back.
struct EvaluatedRows {
  const float* policy;      // [rows, actions]
  const float* wdl;         // [rows, 3]
  const float* moves_left;  // [rows]
  const float* lead;        // [rows], or null: nobody counts
};

struct SearchCounts {
  std::uint64_t evaluations = 0, duplicates = 0, batches = 0;
};

class AnySearch {
 public:
  virtual ~AnySearch() = default;

  virtual int trees() const = 0;
  virtual void configure(int tree, const SearchConfig& config) = 0;
  virtual const SearchConfig& config(int tree) const = 0;
  virtual void reset(int tree, const AnyState& state, std::uint64_t game) = 0;  // the state must be of this game
  virtual void advance(int tree, Action action) = 0;
  virtual void activate(std::span<const int> trees) = 0;  // only these are searched from now on
  virtual bool is_legal(int tree, int action) const = 0;

  // Gathers leaves of all trees; `rows()` of them need an evaluation. None: every tree is finished, or was stopped.
  virtual int select() = 0;
  virtual int rows() const = 0;
  virtual std::shared_ptr<const LeafRows> lent() const = 0;
  virtual void backup(const EvaluatedRows& answers) = 0;
  virtual int step(const EvaluatedRows& answers) = 0;  // backup, then select
  virtual void cancel() = 0;
  virtual void run_rollouts(bool nearby) = 0;
  virtual void stop() = 0;  // from any thread; heard at once, inside proofs within a tenth of a second
  virtual void set_network(std::uint64_t hash) = 0;

  virtual bool finished(int tree) const = 0;
  virtual bool expanded(int tree) const = 0;
  virtual std::uint32_t visits(int tree) const = 0;
  virtual int best(int tree) const = 0;
  virtual int choose(int tree) const = 0;
  virtual std::vector<double> target(int tree) const = 0;  // over all actions
  virtual Value worth(int tree) const = 0;                 // of the root, as records have it
  virtual bool find(int tree, std::span<const Action> path, NodeView& out) const = 0;
  virtual std::uint32_t nodes(int tree) const = 0;
  virtual std::size_t bytes(int tree) const = 0;
  virtual SearchCounts counts() const = 0;
};

}  // namespace tengen
