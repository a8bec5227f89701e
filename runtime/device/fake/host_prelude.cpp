// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect of kernels as C++, for the fake device.
#include "runtime/device/dialect.h"
#include "runtime/device/prelude_parts.h"

#define HOST_1(f) "double " #f "(double) noexcept; float " #f "f(float) noexcept;\n"
#define HOST_2(f) "double " #f "(double, double) noexcept; float " #f "f(float, float) noexcept;\n"

namespace pb::device {

// A kernel with barriers is a coroutine: an item that waits is suspended, which sanitizers understand and
// which is right in loops. A kernel without barriers is a plain function, called in a loop over the items of
// a group. Every kernel has a shared library of its own, loaded once for each device, so its static variables
// are as private as a group's memory.
const char *const kHostPrelude = R"(struct pb_Item { long global[3], local[3], group[3]; };
static pb_Item *pb_item;
static bool pb_measuring;
static unsigned long pb_local_bytes;
static struct { void *base; unsigned long bytes; } pb_locals[64];
static int pb_local_count;
#if PB_ANY_GROUP
static const long *pb_group_extent;
#undef PB_G0
#undef PB_G1
#undef PB_G2
#define PB_G0 pb_group_extent[0]
#define PB_G1 pb_group_extent[1]
#define PB_G2 pb_group_extent[2]
#endif
#if PB_HAS_BARRIER
#include <coroutine>
struct pb_Result {
  struct promise_type {
    pb_Result get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> item;
};
#define PB_RETURN co_return
#define PB_BARRIER() co_await std::suspend_always{}
// Warps of four items, so that what is printed for larger ones is tested.
#define PB_WARP 4
#define PB_SHUFFLE(T, name, value, lanes)                                                                \
  static T name##_of[4096];                                                                              \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  const T name = name##_of[PB_LOCAL_INDEX % PB_WARP + lanes < PB_WARP ? PB_LOCAL_INDEX + lanes : PB_LOCAL_INDEX]; \
  PB_BARRIER()
#define PB_SHUFFLE_BEFORE(T, name, value, lanes)                                                         \
  static T name##_of[4096];                                                                              \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  const T name = name##_of[PB_LOCAL_INDEX % PB_WARP >= lanes ? PB_LOCAL_INDEX - lanes : PB_LOCAL_INDEX]; \
  PB_BARRIER()
// All items of the group vote, because shuffles have barriers here.
#define PB_VOTE(name, value)                                                                             \
  static bool name##_of[4096];                                                                           \
  name##_of[PB_LOCAL_INDEX] = value;                                                                     \
  PB_BARRIER();                                                                                          \
  PB_INDEX name = 1;                                                                                     \
  for (int pb_k = 0; pb_k < PB_G0 * PB_G1 * PB_G2; ++pb_k)                                               \
    name &= name##_of[pb_k];                                                                             \
  PB_BARRIER()
#define PB_MATCH(name, value, bits)                                                                      \
  static unsigned name##_of[4096];                                                                       \
  name##_of[PB_LOCAL_INDEX] = (value) & ((1u << bits) - 1);                                              \
  PB_BARRIER();                                                                                          \
  unsigned name = 0;                                                                                     \
  for (int pb_k = 0; pb_k < PB_WARP; ++pb_k)                                                             \
    name |= (unsigned)(name##_of[PB_LOCAL_INDEX / PB_WARP * PB_WARP + pb_k] ==                           \
                       name##_of[PB_LOCAL_INDEX])                                                        \
            << pb_k;                                                                                     \
  PB_BARRIER()
#define PB_WARP_BARRIER() PB_BARRIER()
#else
#define PB_MATCH(name, value, bits) const unsigned name = 1u
#define PB_WARP_BARRIER() ((void)0)
#define PB_WARP 1
#define PB_SHUFFLE(T, name, value, lanes) const T name = value
#define PB_SHUFFLE_BEFORE(T, name, value, lanes) const T name = value
#define PB_VOTE(name, value) const PB_INDEX name = 0
using pb_Result = void;
#define PB_RETURN return
#endif
#define PB_KERNEL(name) static pb_Result name
#define PB_GLOBAL
#define PB_LOCAL
#define PB_CONSTANT
#define PB_TABLE static
#define PB_COMMON_TABLE static
#define PB_FUNCTION static inline
#define PB_OWN f
#define PB_COPY(to, from) to = from
#define PB_COPY_16(to, from) __builtin_memcpy(&to, __builtin_assume_aligned(&from, 16), 16)
#define PB_COPIED() ((void)0)
#define PB_LOAD_16(T, to, from) __builtin_memcpy(&to, __builtin_assume_aligned(&from, 16), 16)
#define PB_LOAD_LOCAL_16 PB_LOAD_16
#define PB_STORE_16(T, to, from) __builtin_memcpy(__builtin_assume_aligned(&to, 16), &from, 16)
#define PB_PLACE(cells, offset) cells += offset
// Groups run one after the other, and between two barriers items do, too.
#define PB_COUNT_ONES(bits) ((unsigned)__builtin_popcount(bits))
#define PB_DIVIDE(x, by) ((x) / (by))
#define PB_ADD_LOCAL(cell, value) ((cell += value) - value)
#define PB_ADD_GLOBAL(cell, value) ((cell += value) - value)
#define PB_PUBLISH(cell, value) cell = value
#define PB_PUBLISHED(cell) (cell)
#define PB_LOCAL_ARRAYS
#define PB_LOCAL_ARRAY(T, name, count)                                                    \
  alignas(16) static T name[count];                                                       \
  if (pb_measuring) {                                                                     \
    pb_local_bytes += sizeof name;                                                        \
    if (pb_local_count < 64) pb_locals[pb_local_count++] = {name, sizeof name};           \
  }
#define PB_BEGIN if (pb_measuring) PB_RETURN; {
#define PB_END }
#define PB_ID(d) (pb_item->global[d])
#define PB_LOCAL_ID(d) (pb_item->local[d])
#define PB_GROUP_ID(d) (pb_item->group[d])
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
extern "C" {
)" UNARY(HOST_1) BINARY(
    HOST_2) "double fma(double, double, double) noexcept; float fmaf(float, float, "
            "float) noexcept;\ndouble ldexp(double, int) noexcept; float ldexpf(float, int) noexcept;\n"
            "int ilogb(double) noexcept; int ilogbf(float) noexcept;\n"
            "double frexp(double, int *) noexcept; float frexpf(float, int *) noexcept;\n"
            "double modf(double, double *) noexcept; float modff(float, float *) noexcept;\n}\n" ARITHMETIC(
                "static inline") INDICES("static inline")
                MISSING("static inline", "__builtin_bit_cast(long, ", "__builtin_bit_cast(double, ");

const char *const kHostEpilogue = R"(
namespace {
template <class T> struct pb_Kind { static constexpr char value = 'v'; };
template <class T> struct pb_Kind<T *> { static constexpr char value = 'w'; };
template <class T> struct pb_Kind<const T *> { static constexpr char value = 'r'; };
template <unsigned long... K> struct pb_Numbers {};
template <unsigned long N, unsigned long... K> struct pb_UpTo : pb_UpTo<N - 1, N - 1, K...> {};
template <unsigned long... K> struct pb_UpTo<0, K...> { using Type = pb_Numbers<K...>; };
template <class T> T pb_argument(unsigned long bits) {
  static_assert(sizeof(T) == 8, "all arguments of kernels have 8 bytes");
  T value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}
template <class... A> struct pb_Function {
  static constexpr char kinds[] = {pb_Kind<A>::value..., 0};
  template <unsigned long... K>
  static inline pb_Result call(pb_Result (*f)(A...), const unsigned long *arguments, pb_Numbers<K...>) {
    return f(pb_argument<A>(arguments[K])...);
  }
  static inline pb_Result call(pb_Result (*f)(A...), const unsigned long *arguments) {
    return call(f, arguments, typename pb_UpTo<sizeof...(A)>::Type());
  }
};
template <class... A> pb_Function<A...> pb_functionOf(pb_Result (*)(A...)) { return {}; }
constexpr auto pb_entry = &PB_ENTRY;
using pb_Entry = decltype(pb_functionOf(pb_entry));
}
extern "C" const char *pb_kinds() { return pb_Entry::kinds; }
extern "C" unsigned long pb_measure() {
  static const unsigned long nothing[sizeof pb_Entry::kinds] = {};
  pb_measuring = true;
#if PB_HAS_BARRIER
  auto item = pb_Entry::call(pb_entry, nothing).item;
  item.resume();
  item.destroy();
#else
  pb_Entry::call(pb_entry, nothing);
#endif
  pb_measuring = false;
  return pb_local_bytes;
}
/// Returns whether all items reached the same barriers. The memory of groups starts with arbitrary bytes, as
/// on other devices. `extent` is the number of items along each dimension.
extern "C" int pb_run_group(const unsigned long *arguments, const long *group, const long *extent) {
#if PB_ANY_GROUP
  pb_group_extent = extent;
#endif
  for (int k = 0; k < pb_local_count; ++k)
    __builtin_memset(pb_locals[k].base, 0xcb, pb_locals[k].bytes);
#if PB_HAS_BARRIER
  constexpr int count = PB_G0 * PB_G1 * PB_G2;
  static pb_Item items[count];
  static std::coroutine_handle<pb_Result::promise_type> work[count];
#else
  pb_Item one;
  pb_item = &one;
#endif
  int k = 0;
  for (int z = 0; z < PB_G2; ++z)
    for (int y = 0; y < PB_G1; ++y)
      for (int x = 0; x < PB_G0; ++x, ++k) {
        const pb_Item item = {{group[0] * PB_G0 + x, group[1] * PB_G1 + y, group[2] * PB_G2 + z}, {x, y, z},
                              {group[0], group[1], group[2]}};
#if PB_HAS_BARRIER
        items[k] = item;
        work[k] = pb_Entry::call(pb_entry, arguments).item;
#else
        one = item;
        pb_Entry::call(pb_entry, arguments);
#endif
      }
#if PB_HAS_BARRIER
  // Every second pass runs the items in reverse order, so that a missing barrier has different effects.
  int done = 0;
  for (bool back = false; done == 0; back = !back)
    for (int n = 0; n < count; ++n) {
      const int at = back ? count - 1 - n : n;
      pb_item = &items[at];
      work[at].resume();
      done += work[at].done();
    }
  for (k = 0; k < count; ++k)
    work[k].destroy();
  return done == count;
#else
  return 1;
#endif
}
)";

} // namespace pb::device
