// Carrying an evaluation to the root, and what it proves: sections 3 and 8 of docs/search.md.
#pragma once

#include <vector>

#include "tengen/search/select.h"

namespace tengen {

// One step of a descent: a node, and the index of the edge that led to it (the root's is −1).
struct Step {
  std::uint32_t node;
  int edge;
};
using Path = std::vector<Step>;

// Tightens a node's bounds by what is known of its children; false when nothing changed.
inline bool update_bounds(const Tree& tree, Node& node) {
  if (node.with_distance()) return false;
  BestOf best;
  const Edge* edges = tree.edges(node);
  for (int i = 0; i < node.num_edges; ++i) {
    if (edges[i].child == kNone) {
      best.add({});
      continue;
    }
    best.add(tree.node(edges[i].child).bounds());
  }
  Bounds found = best.bounds();
  found.lo = std::max<int>(found.lo, node.lo);
  found.hi = std::min<int>(found.hi, node.hi);
  if (found.lo == node.lo && found.hi == node.hi && !found.with_distance()) return false;
  node.prove(found);
  return true;
}

// A pending leaf marks its whole path, so that other descents of the same batch look elsewhere.
inline void mark(Tree& tree, const Path& path) {
  for (const Step& step : path) ++tree.node(step.node).in_flight;
}
inline void unmark(Tree& tree, const Path& path) {
  for (const Step& step : path) --tree.node(step.node).in_flight;
}

inline void backup(const SearchConfig& config, Tree& tree, const Path& path, Value value) {
  // A position that nobody counted takes its parent's lead: the parent's mean stays as it is.
  if (tree.counted() && std::isnan(value.lead))
    value.lead = path.size() > 1 ? -tree.lead(path[path.size() - 2].node) : 0;
  for (std::size_t i = path.size(); i-- > 0;) {
    Node& node = tree.node(path[i].node);
    if (solved(config, node) && !node.with_distance())
      value = solved_value(discounted(config, node, value.m), value.m, value.lead);
    const double n = ++node.visits;
    node.q += (value.v - node.q) / n;
    node.d += (value.d - node.d) / n;
    node.m += (value.m - node.m) / n;
    node.s += (value.v * value.v - node.s) / n;
    if (tree.counted()) tree.counted_lead(path[i].node) += (value.lead - tree.lead(path[i].node)) / n;
    if (node.visits == 1 && i > 0) {
      Node& parent = tree.node(path[i - 1].node);
      parent.seen += tree.edges(parent)[path[i].edge].prior;
    }
    value.v = -(value.v * config.discount);
    value.m += 1;
    value.lead = -value.lead;
  }
  if (!config.solver) return;
  for (std::size_t i = path.size() - 1; i-- > 0;)
    if (!update_bounds(tree, tree.node(path[i].node))) break;
}

}  // namespace tengen
