// The one way work is spread over threads: indices 0 … n − 1 in blocks, in no promised order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tengen {

inline int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Threads that are joined at the end of their scope: std::jthread, which the compilers of Macs do not have yet.
class JoinedThreads {
 public:
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() { join(); }

  template <class Work>
  void start(const Work& work) {
    threads_.emplace_back(work);
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::size_t size() const { return threads_.size(); }

 private:
  std::vector<std::thread> threads_;
};

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
  JoinedThreads helpers;
  for (std::size_t t = 1; t < count; ++t) helpers.start(work);
  work();
  helpers.join();
  if (failure) std::rethrow_exception(failure);
}

// Threads that wait for work. For loops so short and frequent that starting threads would cost more than the work.
// Thread k begins with the k-th share of the indices, in every loop: what they stand for stays in that core's cache.
// Whoever is done helps the others, but not at once: fetching another core's memory costs more than a short wait.
class ThreadPool {
 public:
  explicit ThreadPool(int threads) : shares_(static_cast<std::size_t>(threads > 0 ? threads : hardware_threads())) {
    try {
      for (std::size_t t = 1; t < shares_.size(); ++t) helpers_.start([this, t] { help(t); });
    } catch (...) {  // the system has no more threads: those that are there must not be waited for in vain
      end();
      throw;
    }
  }
  ~ThreadPool() { end(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(shares_.size()); }

  // Calls body(i) for every i < n; returns when all are done. The first exception is rethrown here, once every thread
  // has come back; what no thread had begun by then is left out. `soon`: is the next loop to be expected at once? Then
  // the threads stay awake for it a while; else they leave their cores to others.
  template <class Body>
  void run(std::size_t n, std::size_t block, const Body& body, bool soon = true) {
    if (helpers_.size() == 0 || n <= block) {
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    }
    const std::size_t count = shares_.size();
    for (std::size_t t = 0; t < count; ++t) {
      shares_[t].next.store(n * t / count, std::memory_order_relaxed);
      shares_[t].end = n * (t + 1) / count;
    }
    const auto work = [&](std::size_t thread) {
      try {
        for (std::size_t t = 0; t < count; ++t) {
          Share& share = shares_[(thread + t) % count];
          if (t > 0) spin([&] { return share.next.load(std::memory_order_relaxed) >= share.end; });
          for (std::size_t i; (i = share.next.fetch_add(block, std::memory_order_relaxed)) < share.end;)
            for (const auto end = std::min(share.end, i + block); i < end; ++i) body(i);
        }
      } catch (...) {
        fail(std::current_exception());
      }
    };
    call_ = [](const void* f, std::size_t thread) { (*static_cast<const decltype(work)*>(f))(thread); };
    work_ = &work;
    soon_ = soon;
    busy_.store(helpers_.size(), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    work(0);
    spin([this] { return busy_.load(std::memory_order_acquire) == 0; });
    for (auto left = busy_.load(std::memory_order_acquire); left != 0; left = busy_.load(std::memory_order_acquire))
      busy_.wait(left, std::memory_order_acquire);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  struct alignas(64) Share {  // one cache line each
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  // Waits a fraction of a millisecond for what will probably happen within it: waking a sleeping thread costs more than
  // a share of a small batch. Yields, so that a busy machine loses nothing.
  template <class Done>
  static void spin(const Done& done) {
    for (int i = 0; i < 1000 && !done(); ++i) std::this_thread::yield();
  }

  void fail(std::exception_ptr failure) {
    for (Share& share : shares_) share.next.store(share.end, std::memory_order_relaxed);
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  void end() {
    ending_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

  void help(std::size_t thread) {
    bool soon = true;
    for (std::uint64_t seen = 0;;) {
      if (soon) spin([&] { return round_.load(std::memory_order_acquire) != seen; });
      round_.wait(seen, std::memory_order_acquire);
      seen = round_.load(std::memory_order_acquire);
      if (ending_) return;
      call_(work_, thread);
      soon = soon_;
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
  }

  std::vector<Share> shares_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::size_t> busy_{0};
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* work_ = nullptr;
  bool soon_ = true;
  std::exception_ptr failure_;
  std::mutex failure_mutex_;
  std::atomic<bool> ending_{false};
  JoinedThreads helpers_;  // last: joined before the rest is destroyed
};

}  // namespace tengen
