// A request to end, made from any thread, with its time: section 11 of docs/search.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tengen {

class Stop {
 public:
  explicit Stop(std::chrono::nanoseconds grace = std::chrono::milliseconds(100)) : grace_(grace.count()) {}
  void request() {
    std::int64_t none = 0;
    at_.compare_exchange_strong(none, now(), std::memory_order_relaxed);  // the first one counts
  }
  void clear() { at_.store(0, std::memory_order_relaxed); }
  bool requested() const { return at_.load(std::memory_order_relaxed) != 0; }
  // Asked inside what takes long: proofs, and plies of full search. They have some time left, so that a search that is
  // stopped now and then, to look at it, finds what it would have found undisturbed.
  bool overdue() const {
    const auto at = at_.load(std::memory_order_relaxed);
    return at != 0 && now() - at >= grace_;
  }

 private:
  static std::int64_t now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::int64_t grace_;               // nanoseconds
  std::atomic<std::int64_t> at_{0};  // 0: none
};

}  // namespace tengen
