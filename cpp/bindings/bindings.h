#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <stdexcept>

#include "tengen/erased/registry.h"

namespace tengen {

using GamePtr = std::shared_ptr<const AnyGame>;

// What Python calls Game and State: the core's objects, and for a state the game it belongs to.
struct PyGame {
  GamePtr game;
};
struct PyState {
  GamePtr game;
  std::unique_ptr<AnyState> state;
  std::string start = {};  // the position text it was set up from; empty: the start of the game
};

// What asks for evaluations: a batch of searches, or of games that play themselves. While a thread works in it without
// Python's lock, every other that enters gets an exception; only stop() is for any thread.
struct PyLeafSource {
  GamePtr game;
  std::unique_ptr<AnySearch> search;
  mutable std::atomic<bool> inside{false};

  class Entered {
   public:
    explicit Entered(const PyLeafSource& source) : source_(source) {
      if (source.inside.exchange(true, std::memory_order_acquire))
        throw std::runtime_error("another thread is inside this search: only stop() may be called meanwhile");
    }
    ~Entered() { source_.inside.store(false, std::memory_order_release); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    AnySearch* operator->() const { return source_.search.get(); }

   private:
    const PyLeafSource& source_;
  };
  Entered enter() const { return Entered(*this); }
};

void bind_build(nanobind::module_& m);
void bind_config(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_rules(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_selfplay(nanobind::module_& m);
void bind_solve(nanobind::module_& m);

}  // namespace tengen
