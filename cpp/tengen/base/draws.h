// Draws from named distributions, each by one named algorithm, so that both search engines draw the same numbers.
#pragma once

#include <cmath>
#include <vector>

#include "tengen/base/elementary.h"
#include "tengen/base/rng.h"

namespace tengen {

// Uniform in (0, 1): both ends excluded, so that logarithms are finite.
inline double open_uniform(Rng& rng) { return (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1.0p-53; }

// Standard normal by Marsaglia's polar method; the second number of each pair is thrown away, to keep no state.
inline double normal(Rng& rng) {
  for (;;) {
    const double x = 2 * open_uniform(rng) - 1, y = 2 * open_uniform(rng) - 1;
    const double r = x * x + y * y;
    if (r > 0 && r < 1) return x * std::sqrt(-2 * elementary::log(r) / r);
  }
}

// Gamma(shape, 1) by Marsaglia and Tsang (2000); shapes below one are drawn at shape + 1 and scaled down.
inline double gamma(Rng& rng, double shape) {
  if (shape < 1) {
    const double boost = elementary::pow(open_uniform(rng), 1 / shape);
    return gamma(rng, shape + 1) * boost;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(rng), t = 1 + c * x, v = t * t * t;
    if (v <= 0) continue;
    if (elementary::log(open_uniform(rng)) < x * x / 2 + d - d * v + d * elementary::log(v)) return d * v;
  }
}

// A symmetric Dirichlet sample. With a tiny alpha every gamma may underflow to zero: then all the weight falls on one.
inline void dirichlet(Rng& rng, double alpha, double* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i] = gamma(rng, alpha);
  const int lone = static_cast<int>(rng.below(static_cast<std::uint32_t>(n)));
  for (int i = 0; i < n; ++i) out[i] = sum > 0 ? out[i] / sum : (i == lone ? 1 : 0);
}

inline double gumbel(Rng& rng) { return -elementary::log(-elementary::log(open_uniform(rng))); }

}  // namespace tengen
