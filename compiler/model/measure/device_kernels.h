// The kernels that measure a device, in the dialect of runtime/device/dialect.h. One item of a group writes
// what it computed, so that nothing can be left out.
#pragma once

namespace pbc::model {

inline constexpr const char *kNothingKernel = R"(
PB_KERNEL(pb_nothing)(PB_GLOBAL float *a, long never)
{
  PB_BEGIN
  if (never != 0) a[0] = 1.0f;
  PB_END
}
)";

/// A chain of 16 multiply-adds in each of `steps` steps.
inline constexpr const char *kMultiplyAddKernel = R"(
PB_KERNEL(pb_madd)(PB_GLOBAL float *a, long steps)
{
  PB_BEGIN
  const float m = 0.999f, b = (float)PB_ID(0);
  float x = b;
  for (long i = 0; i < steps; ++i) {
    x = x * m + b; x = x * m + b; x = x * m + b; x = x * m + b;
    x = x * m + b; x = x * m + b; x = x * m + b; x = x * m + b;
    x = x * m + b; x = x * m + b; x = x * m + b; x = x * m + b;
    x = x * m + b; x = x * m + b; x = x * m + b; x = x * m + b;
  }
  a[PB_ID(0)] = x;
  PB_END
}
)";

/// Every item passes on what its neighbour had, `count` times.
inline constexpr const char *kBarrierKernel = R"(
PB_KERNEL(pb_barriers)(PB_GLOBAL float *a, long count)
{
  PB_LOCAL_ARRAY(float, t, PB_G0);
  PB_BEGIN
  const int i = PB_LOCAL_INDEX;
  t[i] = (float)i;
  for (long c = 0; c < count; ++c) {
    PB_BARRIER();
    t[(i + c) % PB_G0] += 1.0f;
  }
  PB_BARRIER();
  a[PB_ID(0)] = t[i];
  PB_END
}
)";

inline constexpr const char *kCopyKernel = R"(
PB_KERNEL(pb_copy)(PB_GLOBAL const float *a, PB_GLOBAL float *b)
{
  PB_BEGIN
  b[PB_ID(0)] = a[PB_ID(0)];
  PB_END
}
)";

inline constexpr int kStepTileBytes = 2 * 34 * 10 * 4;

/// `steps` steps of a 5-point stencil over 32 x 8 points, a group of 256 items, in two fields with borders.
inline constexpr const char *kStepKernel = R"(
PB_KERNEL(pb_steps)(PB_GLOBAL float *a, long steps)
{
  PB_LOCAL_ARRAY(float, t, 680);
  PB_BEGIN
  const int i = PB_LOCAL_INDEX;
  const int at = (i / 32 + 1) * 34 + i % 32 + 1;
  for (int c = i; c < 680; c += 256) t[c] = 1.0f;
  PB_BARRIER();
  for (long s = 0; s < steps; ++s) {
    const int from = (int)(s % 2) * 340 + at, to = (int)((s + 1) % 2) * 340 + at;
    t[to] = 0.2f * (t[from] + t[from - 1] + t[from + 1] + t[from - 34] + t[from + 34]);
    PB_BARRIER();
  }
  a[PB_ID(0)] = t[(int)(steps % 2) * 340 + at];
  PB_END
}
)";

} // namespace pbc::model
