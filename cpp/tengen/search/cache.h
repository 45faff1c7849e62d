// Remembered network answers, bounded in bytes. One slot per key; a newer answer takes the slot of an older one.
//
// Keys name exactly what the network was shown, and which network: after a new one nothing old can be found. Values are
// the raw outputs over all actions; which of them are legal is the node's business (Go: the same board, other superko
// points).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "tengen/base/rng.h"

namespace tengen {

class Cache {
 public:
  // An answer is policy logits, win, draw, loss, plies and, where the game is counted, the lead.
  Cache(std::size_t bytes, int actions, bool counted)
      : actions_(static_cast<std::size_t>(actions)),
        outputs_(actions_ + 4 + counted),
        slots_(std::min<std::size_t>(bytes / (sizeof(std::uint64_t) + outputs_ * sizeof(float)), 0xffffffff)),
        keys_(static_cast<std::uint64_t*>(std::calloc(slots_ + 1, sizeof(std::uint64_t))), &std::free),
        values_(std::make_unique_for_overwrite<float[]>(slots_ * outputs_)) {
    if (!keys_) throw std::bad_alloc();
  }

  void set_network(std::uint64_t hash) { salt_ = mix64(hash + kGolden); }

  const float* find(std::uint64_t key) const {
    if (slots_ == 0) return nullptr;
    const auto salted = this->salted(key);
    const auto slot = slot_of(salted);
    return keys_[slot] == salted ? values_.get() + slot * outputs_ : nullptr;
  }

  void insert(std::uint64_t key, const float* policy, const float* wdl, float moves_left, float lead) {
    if (slots_ == 0) return;
    const auto salted = this->salted(key);
    const auto slot = slot_of(salted);
    keys_[slot] = salted;
    float* out = std::copy(policy, policy + actions_, values_.get() + slot * outputs_);
    out = std::copy(wdl, wdl + 3, out);
    *out++ = moves_left;
    if (out < values_.get() + (slot + 1) * outputs_) *out = lead;
  }

 private:
  std::uint64_t salted(std::uint64_t key) const { return std::max<std::uint64_t>(key ^ salt_, 1); }  // 0: an empty slot
  std::size_t slot_of(std::uint64_t key) const { return static_cast<std::size_t>(((mix64(key) >> 32) * slots_) >> 32); }

  std::size_t actions_, outputs_, slots_;
  std::uint64_t salt_ = mix64(kGolden);
  // Zeroed by calloc, which leaves it to the system to hand out pages when they are touched: a cache costs what it
  // holds.
  std::unique_ptr<std::uint64_t[], void (*)(void*)> keys_;
  std::unique_ptr<float[]> values_;
};

}  // namespace tengen
