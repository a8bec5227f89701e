// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/compute_probe.h"

#include "compiler/model/measure/widest_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace pbc::model {
namespace {

/// Two fields of width x height x depth, x fastest, whose border is never written.
struct Fields {
  long width, height, depth;
  std::vector<float> from, to;
  Fields(long w, long h, long d)
      : width(w), height(h), depth(d), from(static_cast<std::size_t>(w * h * d), 1.0F), to(from) {}
  double points() const {
    return static_cast<double>((width - 2) * std::max(1L, height - 2) * std::max(1L, depth - 2));
  }
};

/// Computes one step. `body` gives a point's new value from a pointer to it and the distances to the next row
/// and plane.
template <class Body>
void sweep(Fields &f, Body body) {
  const float *__restrict from = f.from.data();
  float *__restrict to = f.to.data();
  const long width = f.width, plane = f.width * f.height;
  const long firstRow = f.height > 1 ? 1 : 0, lastRow = f.height > 1 ? f.height - 1 : 1;
  const long firstPlane = f.depth > 1 ? 1 : 0, lastPlane = f.depth > 1 ? f.depth - 1 : 1;
  onWidestVectors([=]() PBC_INLINE {
    for (long z = firstPlane; z < lastPlane; ++z)
      for (long y = firstRow; y < lastRow; ++y) {
        const float *in = from + z * plane + y * width;
        float *out = to + z * plane + y * width;
        for (long x = 1; x < width - 1; ++x)
          out[x] = body(in + x, width, plane);
      }
  });
  std::swap(f.from, f.to);
}

struct Jacobi1D {
  PBC_INLINE float operator()(const float *p, long, long) const { return 0.33333F * (p[-1] + p[0] + p[1]); }
};
struct Jacobi2D {
  PBC_INLINE float operator()(const float *p, long row, long) const {
    return 0.2F * (p[0] + p[-1] + p[1] + p[-row] + p[row]);
  }
};
struct Heat2D {
  PBC_INLINE float operator()(const float *p, long row, long) const {
    return 0.125F * (p[row] - 2 * p[0] + p[-row]) + 0.125F * (p[1] - 2 * p[0] + p[-1]) + p[0];
  }
};
struct Laplacian2D {
  PBC_INLINE float operator()(const float *p, long row, long) const {
    return p[row] + p[-row] + p[1] + p[-1] - 4 * p[0];
  }
};
struct Gradient2D {
  PBC_INLINE float operator()(const float *p, long row, long) const {
    const float u = p[0] - p[-row], d = p[0] - p[row], l = p[0] - p[-1], r = p[0] - p[1];
    return p[0] + 1 / std::sqrt(0.0001F + u * u + d * d + l * l + r * r);
  }
};
struct Heat3D {
  PBC_INLINE float operator()(const float *p, long row, long plane) const {
    return 0.125F * (p[plane] - 2 * p[0] + p[-plane]) + 0.125F * (p[row] - 2 * p[0] + p[-row]) +
           0.125F * (p[1] - 2 * p[0] + p[-1]) + p[0];
  }
};
struct Laplacian3D {
  PBC_INLINE float operator()(const float *p, long row, long plane) const {
    return p[plane] + p[-plane] + p[row] + p[-row] + p[1] + p[-1] - 6 * p[0];
  }
};

template <class Body>
Figure iterationTimeOf(Fields fields, int lanes, const Sampling &sampling) {
  const long steps = std::max(1L, static_cast<long>(3e5 / fields.points()));
  const auto run = [&] {
    for (long t = 0; t < steps; ++t)
      sweep(fields, Body());
  };
  run();
  return sampled(sampling, Better::Lower, [&] {
    // The fields are reset, because growing or vanishing values would be slow for other reasons.
    std::ranges::fill(fields.from, 1.0F);
    std::ranges::fill(fields.to, 1.0F);
    return ownSecondsOf(run) / (fields.points() * static_cast<double>(steps)) * lanes;
  });
}

} // namespace

Figure clockRate(const Sampling &sampling) {
  constexpr long kAdditions = 1'000'000, kUnrolled = 20;
  return sampled(sampling, Better::Higher, [&] {
    const double seconds = ownSecondsOf([] {
      std::uint64_t sum = 0, one = 1;
      asm volatile("" : "+r"(one)); // not known to be 1: additions of constants may cost nothing
      for (long i = 0; i < kAdditions / kUnrolled; ++i) {
#pragma GCC unroll 20
        for (long j = 0; j < kUnrolled; ++j) {
          sum += one;
          asm volatile("" : "+r"(sum)); // one after the other
        }
      }
    });
    return static_cast<double>(kAdditions) / seconds;
  });
}

std::map<std::string, Figure> iterationTimes(int lanes, std::size_t bytes, const Sampling &sampling) {
  const long numbers = std::max(4096L, static_cast<long>(bytes / sizeof(float) / 2)); // of one field
  const long side = std::max(8L, std::lround(std::cbrt(static_cast<double>(numbers) / 4)));
  const Fields line(numbers, 1, 1), plane(512, std::max(8L, numbers / 512), 1), cube(4 * side, side, side);
  return {
      {"Jacobi1D", iterationTimeOf<Jacobi1D>(line, lanes, sampling)},
      {"Jacobi2D", iterationTimeOf<Jacobi2D>(plane, lanes, sampling)},
      {"Heat2D", iterationTimeOf<Heat2D>(plane, lanes, sampling)},
      {"Laplacian2D", iterationTimeOf<Laplacian2D>(plane, lanes, sampling)},
      {"Gradient2D", iterationTimeOf<Gradient2D>(plane, lanes, sampling)},
      {"Heat3D", iterationTimeOf<Heat3D>(cube, lanes, sampling)},
      {"Laplacian3D", iterationTimeOf<Laplacian3D>(cube, lanes, sampling)},
  };
}

} // namespace pbc::model
