// A fixed-width set of cells, W machine words wide: bit i of the whole is cell i.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tengen {

template <int W>
struct Bits {
  std::array<std::uint64_t, W> word{};

  constexpr bool test(int i) const { return (word[index(i)] >> (i & 63)) & 1; }
  constexpr void set(int i) { word[index(i)] |= std::uint64_t{1} << (i & 63); }
  constexpr void reset(int i) { word[index(i)] &= ~(std::uint64_t{1} << (i & 63)); }

  constexpr bool any() const {
    std::uint64_t all = 0;
    for (const auto w : word) all |= w;
    return all != 0;
  }
  constexpr int count() const {
    int n = 0;
    for (const auto w : word) n += std::popcount(w);
    return n;
  }
  // Removes and returns the lowest cell; the set must not be empty.
  constexpr int pop() {
    std::size_t w = 0;
    while (word[w] == 0) ++w;
    const int bit = std::countr_zero(word[w]);
    word[w] &= word[w] - 1;
    return static_cast<int>(w) * 64 + bit;
  }
  template <class F>
  constexpr void for_each(F&& f) const {
    for (std::size_t w = 0; w < W; ++w)
      for (auto rest = word[w]; rest; rest &= rest - 1) f(static_cast<int>(w) * 64 + std::countr_zero(rest));
  }

  friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
  // a without b
  friend constexpr Bits operator-(Bits a, const Bits& b) {
    for (std::size_t w = 0; w < W; ++w) a.word[w] &= ~b.word[w];
    return a;
  }
  constexpr Bits& operator|=(const Bits& b) {
    for (std::size_t w = 0; w < W; ++w) word[w] |= b.word[w];
    return *this;
  }
  constexpr Bits& operator&=(const Bits& b) {
    for (std::size_t w = 0; w < W; ++w) word[w] &= b.word[w];
    return *this;
  }
  // By less than a word.
  friend constexpr Bits operator>>(Bits a, int by) {
    for (std::size_t w = 0; w < W; ++w) a.word[w] = a.word[w] >> by | (w + 1 < W ? a.word[w + 1] << 1 << (63 - by) : 0);
    return a;
  }
  friend constexpr Bits operator<<(Bits a, int by) {
    for (std::size_t w = W; w-- > 0;) a.word[w] = a.word[w] << by | (w > 0 ? a.word[w - 1] >> 1 >> (63 - by) : 0);
    return a;
  }
  friend constexpr bool operator==(const Bits&, const Bits&) = default;

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i) >> 6; }
};

}  // namespace tengen
