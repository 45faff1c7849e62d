// How strongly a node explores, c(N) in section 4 of docs/search.md: by its formula, and from a table of it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "tengen/base/elementary.h"
#include "tengen/search/config.h"

namespace tengen {

inline double exploration(const SearchConfig& config, double visits) {
  if (config.c_factor == 0) return config.c_init;
  return config.c_init + config.c_factor * elementary::log((visits + config.c_base + 1) / config.c_base);
}

// The formula's own results for the visits that nearly all nodes have: its logarithm costs as much as the scores of
// several children. 8 kB, so all trees with the same options share one.
class ExplorationTable {
 public:
  explicit ExplorationTable(const SearchConfig& config) : config_(config) {
    for (std::size_t visits = 0; visits < c_.size(); ++visits)
      c_[visits] = exploration(config, static_cast<double>(visits));
  }

  // From any thread.
  static std::shared_ptr<const ExplorationTable> of(const SearchConfig& config) {
    static std::mutex mutex;
    static std::shared_ptr<const ExplorationTable> last;
    const std::lock_guard lock(mutex);
    if (!last || !last->fits(config)) last = std::make_shared<ExplorationTable>(config);
    return last;
  }

  bool fits(const SearchConfig& config) const {
    return config.c_init == config_.c_init && config.c_base == config_.c_base && config.c_factor == config_.c_factor;
  }
  // A virtual loss of broken weight makes broken visits.
  double operator()(double visits) const {
    const auto whole = static_cast<std::size_t>(visits);
    if (whole < c_.size() && static_cast<double>(whole) == visits) return c_[whole];
    return exploration(config_, visits);
  }

 private:
  SearchConfig config_;
  std::array<double, 1024> c_;
};

}  // namespace tengen
