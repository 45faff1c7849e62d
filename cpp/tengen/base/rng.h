// Randomness is counter-based: a stream is named by (seed, game, ply, purpose) and its i-th draw is a pure function of
// the name and i. So one option never shifts another's numbers, and results never depend on threads.
#pragma once

#include <cstdint>

namespace tengen {

// SplitMix64's finaliser (Steele, Lea and Flood 2014, with Stafford's constants): a bijection that mixes all 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

enum class Purpose : std::uint64_t {
  noise = 1,
  gumbel,
  temperature,
  symmetry,
  rollout,
  opening,
  cap,
  resign,
  stray,
  vary
};

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t key) : state_(key) {}
  constexpr Rng(std::uint64_t seed, std::uint64_t game, std::uint64_t ply, Purpose purpose)
      : state_(mix64(mix64(mix64(mix64(seed + kGolden) + game) + ply) + static_cast<std::uint64_t>(purpose))) {}

  constexpr std::uint64_t next() { return mix64(state_ += kGolden); }

  // Uniform in 0 … n − 1 (Lemire's multiply-shift; its bias is below n / 2^32, far under anything measured here).
  constexpr std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

  // Uniform in [0, 1) with 53 random bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace tengen
