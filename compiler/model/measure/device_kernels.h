// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels that measure a device, in the dialect of runtime/device/dialect.h. One item of a group writes
// its result, so that the compiler cannot remove the computation.
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

/// Computes a chain of 16 multiply-adds in each of `steps` steps.
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

/// Every item passes on its neighbour's value, `count` times.
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

/// Makes a[i] the successor of i on a path through all elements, in an order that no cache can predict: a
/// linear congruence of full period. `mask` is one less than the number of elements, which is a power of two.
inline constexpr const char *kWayKernel = R"(
PB_KERNEL(pb_way)(PB_GLOBAL int *a, long mask)
{
  PB_BEGIN
  a[PB_ID(0)] = (int)(((long)PB_ID(0) * 1664525 + 1013904223) & mask);
  PB_END
}
)";

/// One item follows that path: each load depends on the previous one.
inline constexpr const char *kChaseKernel = R"(
PB_KERNEL(pb_chase)(PB_GLOBAL int *a, PB_GLOBAL int *out, long first, long steps)
{
  PB_BEGIN
  int at = (int)first;
  for (long s = 0; s < steps; ++s) at = a[at];
  out[0] = at;
  PB_END
}
)";

/// The same in local memory.
inline constexpr const char *kLocalChaseKernel = R"(
PB_KERNEL(pb_local_chase)(PB_GLOBAL int *out, long steps)
{
  PB_LOCAL_ARRAY(int, t, 1024);
  PB_BEGIN
  for (int c = 0; c < 1024; ++c) t[c] = (c * 1029 + 507) & 1023;
  int at = 0;
  for (long s = 0; s < steps; ++s) at = t[at];
  out[0] = at;
  PB_END
}
)";

/// Every item reads four numbers of local memory in each of `steps` steps, next to its neighbours.
inline constexpr const char *kLocalReadKernel = R"(
PB_KERNEL(pb_local_read)(PB_GLOBAL float *a, long steps)
{
  PB_LOCAL_ARRAY(float, t, 1024);
  PB_BEGIN
  const int i = PB_LOCAL_INDEX;
  for (int c = i; c < 1024; c += PB_G0) t[c] = (float)c;
  PB_BARRIER();
  float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f;
  for (long s = 0; s < steps; ++s) {
    const int at = (i + (int)s * 32) & 1023;
    x += t[at]; y += t[at ^ 256]; z += t[at ^ 512]; w += t[at ^ 768];
  }
  a[PB_ID(0)] = x + y + z + w;
  PB_END
}
)";

/// Every item loads numbers of local memory at fixed distances from one place, next to its neighbours: one
/// addition a load, and nothing else that counts.
inline constexpr const char *kLocalLoadsKernel = R"(
PB_KERNEL(pb_local_loads)(PB_GLOBAL float *a, long one, long steps)
{
  PB_LOCAL_ARRAY(float, t, 1024);
  PB_BEGIN
  const int i = PB_LOCAL_INDEX;
  for (int c = i; c < 1024; c += PB_G0) t[c] = (float)one;
  PB_BARRIER();
  float x0 = 0.0f, x1 = 0.0f, x2 = 0.0f, x3 = 0.0f, x4 = 0.0f, x5 = 0.0f, x6 = 0.0f, x7 = 0.0f;
  for (long s = 0; s < steps; ++s) {
    const int at = (i & 255) + ((int)s & 31);
    x0 += t[at]; x1 += t[at + 64]; x2 += t[at + 128]; x3 += t[at + 192];
    x4 += t[at + 256]; x5 += t[at + 320]; x6 += t[at + 384]; x7 += t[at + 448];
  }
  a[PB_ID(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
  PB_END
}
)";
inline constexpr int kLocalLoads = 8; // in a step

inline constexpr int kLocalBytes = 1024 * 4; // of the three kernels above

inline constexpr int kStepTileBytes = 2 * 34 * 10 * 4;

/// Computes `steps` steps of a 5-point stencil over 32 x 8 points with a group of 256 items, in two fields
/// with borders.
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
