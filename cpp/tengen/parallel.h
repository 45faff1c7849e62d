// The one way work is spread over threads: indices 0 … n − 1 in blocks, in no promised order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tengen {

inline int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Calls body(i) for every i < n on up to `threads` threads (0: one per core). The first exception is rethrown here,
// after every thread has ended. Starting a thread costs some ten microseconds: give it work worth more than that.
template <class Body>
void parallel_for(std::size_t n, int threads, std::size_t block, const Body& body) {
  const auto blocks = (n + block - 1) / block;
  const auto count =
      std::min<std::size_t>(static_cast<std::size_t>(threads > 0 ? threads : hardware_threads()), blocks);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::size_t b; (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;)
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) body(i);
    } catch (...) {
      next.store(blocks, std::memory_order_relaxed);
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < count; ++t) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tengen
