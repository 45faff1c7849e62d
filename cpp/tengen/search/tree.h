// A search tree in two flat arrays: nodes that have been reached, and the edges (legal moves) of those that are
// expanded.
//
//   nodes   [0 root][1][2] …                 64 bytes each, in the order they were first reached
//   edges   [root's …][node 1's …] …         16 bytes each: prior, action, index of the child's node (or none)
//   leads   [root's][1's][2's] …             8 bytes each, for games whose result is a count: the mean lead in points
//
// Most moves of a tree are never tried, so they cost an edge, not a node. Both arrays are reserved once at their
// largest size; the system hands out pages only as they are touched, so a small tree is small, nothing is ever moved by
// growth, and no simulation allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "tengen/game.h"
#include "tengen/proof/bounds.h"

namespace tengen {

// What nobody has said: a lead of this much leaves the means as they are.
constexpr double kNoLead = std::numeric_limits<double>::quiet_NaN();

// An evaluation of a position, for the side to move: value, draw share, plies to the end, lead in points at the end.
struct Value {
  double v, d, m;
  double lead = kNoLead;
};
inline Value solved_value(double v, double plies, double lead = kNoLead) {
  return {v, v == 0 ? 1.0 : 0.0, plies, lead};
}

constexpr std::uint32_t kNone = 0xffffffff;

struct Edge {
  double prior;
  std::uint32_t child;  // kNone until a descent takes it
  Action action;
};

// All values from the view of the side to move at the node.
struct alignas(64) Node {
  enum class Kind : std::uint16_t { fresh, pending, expanded, terminal };

  double q, d, m;        // running means of value, draw share, plies left
  double s;              // running mean of the value squared
  double v;              // value of the first evaluation
  double seen;           // sum of the priors of visited children
  std::uint32_t visits;  // its own first evaluation included
  std::uint32_t first_edge;
  std::uint16_t num_edges;
  std::uint16_t in_flight;  // pending leaves at or below
  std::uint16_t end : 14;   // 1 + plies to the end, 0 where they are not known
  Kind kind : 2;
  std::int8_t lo, hi;  // what is proven: lo ≤ value ≤ hi, each −1, 0 or 1

  bool solved() const { return lo == hi; }
  bool with_distance() const { return end != 0; }
  int dist() const { return end - 1; }
  Bounds bounds() const { return {lo, hi, dist()}; }
  void prove(const Bounds& bounds) {
    lo = static_cast<std::int8_t>(bounds.lo);
    hi = static_cast<std::int8_t>(bounds.hi);
    end = (1 + bounds.dist) & 0x3fff;
  }
};

static_assert(sizeof(Node) == 64 && sizeof(Edge) == 16);

class Tree {
 public:
  // Room for `max_nodes` nodes with `max_edges` edges each.
  Tree(std::uint32_t max_nodes, int max_edges, bool counted)
      : max_nodes_(max_nodes),
        nodes_(std::make_unique_for_overwrite<Node[]>(max_nodes)),
        edges_(std::make_unique_for_overwrite<Edge[]>(std::size_t{max_nodes} * static_cast<std::size_t>(max_edges))),
        leads_(counted ? std::make_unique_for_overwrite<double[]>(max_nodes) : nullptr) {}

  static std::size_t bytes_per_node(int max_edges) {
    return sizeof(Node) + static_cast<std::size_t>(max_edges) * sizeof(Edge);
  }

  Node& node(std::uint32_t i) { return nodes_[i]; }
  const Node& node(std::uint32_t i) const { return nodes_[i]; }
  Node& root() { return nodes_[0]; }
  const Node& root() const { return nodes_[0]; }
  bool counted() const { return leads_ != nullptr; }
  double& counted_lead(std::uint32_t i) { return leads_[i]; }  // of a counted game
  double lead(std::uint32_t i) const { return leads_ ? leads_[i] : 0; }
  Edge* edges(const Node& node) { return edges_.get() + node.first_edge; }
  const Edge* edges(const Node& node) const { return edges_.get() + node.first_edge; }
  std::uint32_t size() const { return num_nodes_; }
  std::size_t bytes() const { return num_nodes_ * sizeof(Node) + num_edges_ * sizeof(Edge); }
  bool full(std::uint32_t limit) const { return num_nodes_ >= (limit ? std::min(limit, max_nodes_) : max_nodes_); }

  void clear() {
    num_nodes_ = num_edges_ = 0;
    add_node();
  }

  std::uint32_t add_node() {
    Node& node = nodes_[num_nodes_];
    node = Node{};
    node.prove({});
    if (leads_) leads_[num_nodes_] = 0;
    return num_nodes_++;
  }

  // Room for the edges of a node about to be expanded.
  Edge* add_edges(Node& node, int count) {
    node.first_edge = num_edges_;
    node.num_edges = static_cast<std::uint16_t>(count);
    num_edges_ += static_cast<std::uint32_t>(count);
    return edges(node);
  }

  // Copies the subtree below `from` into `to`, where it becomes the whole tree. Breadth first, so that siblings lie
  // together. `moved(i)` is told of every node in the order of its new place.
  template <class Moved>
  void copy_subtree(std::uint32_t from, Tree& to, const Moved& moved) const {
    to.num_nodes_ = to.num_edges_ = 0;
    to.take(*this, from);
    moved(from);
    for (std::uint32_t i = 0; i < to.num_nodes_; ++i) {
      Node& node = to.nodes_[i];
      if (node.kind != Node::Kind::expanded) continue;
      const Edge* old = edges(node);
      Edge* fresh = to.add_edges(node, node.num_edges);
      for (int e = 0; e < node.num_edges; ++e) {
        fresh[e] = old[e];
        if (old[e].child == kNone) continue;
        fresh[e].child = to.num_nodes_;
        to.take(*this, old[e].child);
        moved(old[e].child);
      }
    }
  }

 private:
  void take(const Tree& from, std::uint32_t i) {
    if (leads_) leads_[num_nodes_] = from.leads_[i];
    nodes_[num_nodes_++] = from.nodes_[i];
  }

  std::uint32_t max_nodes_, num_nodes_ = 0, num_edges_ = 0;
  std::unique_ptr<Node[]> nodes_;
  std::unique_ptr<Edge[]> edges_;
  std::unique_ptr<double[]> leads_;
};

}  // namespace tengen
