// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors of the points of a block in registers (register_tile.h): how many they are, how they are loaded and stored, side by side or
// apart, and how squares of cells are turned on the way.
//
//   loadRows<8, 4>(A, A + 100, t)                                 // t[8 * x + r]: cell x (below 4) of row r, where rows are 100 cells apart
//   storeTurned<1, isPart>(C + y + x * apart, apart, sums, n);    // sums[r][v]: row r, lanes of vector v; C has rows side by side
#pragma once

/// `i` is the name of a variable, which cannot stand in parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define PB_TILE_EACH(i, count) _Pragma("clang loop unroll(full)") for (int i = 0; i < (count); ++i)

namespace pb {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64, kVectorRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32, kVectorRegisters = 16;
#else
inline constexpr int kVectorBytes = 16, kVectorRegisters = 16;
#endif

/// The cells of a strip of rows that are turned: those of a vector, at most `most`. Turning eight such rows takes fewer instructions than loading
/// their numbers one by one; longer ones would go through memory on their way, as they do not fit into half of the registers.
template <class T, int most>
inline constexpr int kStripCells =
    most * static_cast<int>(sizeof(T)) <= kVectorBytes ? most : kVectorBytes / static_cast<int>(sizeof(T));

template <class T, int W>
struct VectorOf {
  typedef T Type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T, int W>
using Vector = typename VectorOf<T, W>::Type;

/// The rows of a block of `vectors` vectors for a kernel with `scalars` scalars for each point. Its steps also have a vector in registers for
/// each of the `columns` operands that move along the rows and each vector of the block, a value of a row, and what is computed of them.
constexpr int tileRows(int scalars, int vectors, int columns = 1) {
  const int most = kVectorRegisters * 3 / 4 / (vectors * scalars),
            rows = (kVectorRegisters - columns * vectors - 2) / (vectors * scalars);
  return rows < 1 || most < 1 ? 1 : rows < most ? rows : most;
}
/// The rows of the smaller blocks that cover the remaining rows.
constexpr int fewRows(int rows) { return rows >= 4 ? 4 : 1; }
/// Three vectors beside eight rows need 11 loads for 24 multiply-adds, two beside twelve rows 14; with 16 registers there is no room for three.
inline constexpr int kTileVectors = kVectorRegisters >= 32 ? 3 : 2;
/// Parts of a box of points have a multiple of so many rows: five rows would take as long as eight, namely
/// two blocks that overlap. `rows` and `vectors` are requested sizes; 0 stands for the sizes above.
constexpr long tileGrain(int scalars, int rows = 0, int vectors = 0) {
  const int all = rows > 0 ? rows : tileRows(scalars, vectors > 0 ? vectors : kTileVectors);
  return all < 4 ? all : fewRows(all);
}

/// Loads and stores of the first n lanes of a vector, with the processor's masks where it has them.
template <class T, int W>
struct Lanes {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using V = Vector<T, W>;
#if defined(__AVX512F__)
  using Mask = decltype([] {
    if constexpr (W == 8)
      return static_cast<unsigned char>(0);
    else
      return static_cast<unsigned short>(0);
  }());
  static Mask mask(long n) { return static_cast<Mask>((1u << n) - 1); }
  [[gnu::always_inline]] static V load(const T *from, long n) {
    if constexpr (W == 8)
      return __builtin_ia32_loadupd512_mask(from, V{}, mask(n));
    else
      return __builtin_ia32_loadups512_mask(from, V{}, mask(n));
  }
  [[gnu::always_inline]] static void store(T *to, V v, long n) {
    if constexpr (W == 8)
      __builtin_ia32_storeupd512_mask(to, v, mask(n));
    else
      __builtin_ia32_storeups512_mask(to, v, mask(n));
  }
#else
  [[gnu::always_inline]] static V load(const T *from, long n) {
    V v{};
    if (n >= W)
      __builtin_memcpy(&v, from, sizeof v);
    else
      for (int l = 0; l < W; ++l)
        if (l < n)
          v[l] = from[l];
    return v;
  }
  [[gnu::always_inline]] static void store(T *to, V v, long n) {
    if (n >= W)
      __builtin_memcpy(to, &v, sizeof v);
    else
      for (int l = 0; l < W; ++l)
        if (l < n)
          to[l] = v[l];
  }
#endif
};

/// The lane of a vector; a number is the same in all lanes.
template <class V>
[[gnu::always_inline]] inline auto laneOf(const V &v, [[maybe_unused]] int lane) {
  if constexpr (requires { v[0]; })
    return v[lane];
  else
    return v;
}

/// `function` of each lane: what vectors have no operator for.
template <class T, int W, class Function, class... Operands>
[[gnu::always_inline]] inline Vector<T, W> byLane(const Function &function, const Operands &...operands) {
  Vector<T, W> made;
  _Pragma("clang loop unroll(full)") for (int l = 0; l < W; ++l) made[l] =
      static_cast<T>(function(laneOf(operands, l)...));
  return made;
}

/// The vector itself, or one that has the number in all lanes.
template <class T, int W, class V>
[[gnu::always_inline]] inline Vector<T, W> inLanes(const V &v) {
  if constexpr (requires { v[0]; })
    return v;
  else
    return static_cast<T>(v) - Vector<T, W>{}; // the same number, be it -0
}

/// `condition ? one : other` in each lane; both are computed.
template <class T, int W, class Condition, class One, class Other>
[[gnu::always_inline]] inline Vector<T, W> choose(const Condition &condition, const One &one,
                                                  const Other &other) {
  const Vector<T, W> first = inLanes<T, W>(one), second = inLanes<T, W>(other);
  return condition ? first : second;
}

/// fmin(), fmax(), fabs() and sqrt() of each lane.
template <class T, int W, class One, class Other>
[[gnu::always_inline]] inline Vector<T, W> lesser(const One &one, const Other &other) {
  return __builtin_elementwise_min(inLanes<T, W>(one), inLanes<T, W>(other));
}
template <class T, int W, class One, class Other>
[[gnu::always_inline]] inline Vector<T, W> greater(const One &one, const Other &other) {
  return __builtin_elementwise_max(inLanes<T, W>(one), inLanes<T, W>(other));
}
template <class T, int W, class One>
[[gnu::always_inline]] inline Vector<T, W> absolute(const One &one) {
  return __builtin_elementwise_abs(inLanes<T, W>(one));
}
template <class T, int W, class One>
[[gnu::always_inline]] inline Vector<T, W> root(const One &one) {
  return __builtin_elementwise_sqrt(inLanes<T, W>(one));
}

/// `isPart`: loads only the first n lanes; the others are 0.
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline Vector<T, W> load(const T *from, [[maybe_unused]] long n) {
  if constexpr (isPart)
    return Lanes<T, W>::load(from, n);
  Vector<T, W> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline void store(T *to, Vector<T, W> v, [[maybe_unused]] long n) {
  if constexpr (isPart)
    Lanes<T, W>::store(to, v, n);
  else
    __builtin_memcpy(to, &v, sizeof v);
}
/// The same for cells that are `apart` cells from each other.
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline Vector<T, W> loadApart(const T *from, long apart, [[maybe_unused]] long n) {
  Vector<T, W> v{};
  PB_TILE_EACH(l, W)
  if (!isPart || l < n)
    v[l] = from[l * apart];
  return v;
}
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline void storeApart(T *to, long apart, Vector<T, W> v, [[maybe_unused]] long n) {
  PB_TILE_EACH(l, W)
  if (!isPart || l < n)
    to[l * apart] = v[l];
}
/// Cells that are nearly always side by side.
template <int W, bool isPart, class T>
[[gnu::cold, gnu::noinline]] Vector<T, W> loadApartRarely(const T *from, long apart, long n) {
  return loadApart<W, isPart>(from, apart, n);
}
template <int W, bool isPart, class T>
[[gnu::cold, gnu::noinline]] void storeApartRarely(T *to, long apart, Vector<T, W> v, long n) {
  storeApart<W, isPart>(to, apart, v, n);
}
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline Vector<T, W> loadAny(const T *from, long apart, long n) {
  return __builtin_expect(apart == 1, 1) ? load<W, isPart>(from, n)
                                         : loadApartRarely<W, isPart>(from, apart, n);
}
template <int W, bool isPart, class T>
[[gnu::always_inline]] inline void storeAny(T *to, long apart, Vector<T, W> v, long n) {
  if (__builtin_expect(apart == 1, 1))
    store<W, isPart>(to, v, n);
  else
    storeApartRarely<W, isPart>(to, apart, v, n);
}
/// The same number in each lane (x - 0 is x for all x).
template <int W, class T>
[[gnu::always_inline]] inline Vector<T, W> spread(T x) {
  return x - Vector<T, W>{};
}

template <class, int... L>
struct LaneNumbers {};

template <int D, class V, int... L>
[[gnu::always_inline]] inline void exchange(V &a, V &b, LaneNumbers<int, L...>) {
  constexpr int W = sizeof...(L);
  const V low = __builtin_shufflevector(a, b, (L & D ? W + L - D : L)...);
  b = __builtin_shufflevector(a, b, (L & D ? W + L : L + D)...);
  a = low;
}

/// Turns squares: lane l of vector i and lane i of vector l change places. Squares of `D` lanes first change theirs with their neighbours. With fewer
/// vectors than lanes there are several squares side by side, each of which is turned. Squares of `to` lanes and larger ones stay.
template <int W, class T, int N, int D = 1, int to = N>
[[gnu::always_inline]] inline void turn(Vector<T, W> (&squares)[N]) {
  if constexpr (D < to) {
    PB_TILE_EACH(i, N)
    if (!(i & D))
      exchange<D>(squares[i], squares[i | D], __make_integer_seq<LaneNumbers, int, W>());
    turn<W, T, N, 2 * D, to>(squares);
  }
}
/// Whether the rows of a block are so few that vectors have several squares of them.
template <int R, int W>
inline constexpr bool kSquaresSideBySide = R > 1 && R < W && (R & (R - 1)) == 0;

/// The vectors of a block: row r has its lanes `apart` cells from each other, and lies `Down` cells (1 or -1) from row r - 1.
template <int Down, bool isPart, class T, int R, int V, int W = kVectorBytes / static_cast<int>(sizeof(T))>
[[gnu::always_inline]] inline void storeTurned(T *to, long apart, const Vector<T, W> (&block)[R][V],
                                               [[maybe_unused]] long n) {
  if constexpr (kSquaresSideBySide<R, W>) {
    PB_TILE_EACH(v, V) {
      Vector<T, W> squares[R];
      PB_TILE_EACH(i, R)
      squares[i] = block[Down > 0 ? i : R - 1 - i][v];
      turn<W, T>(squares);
      T *const at = to + v * W * apart - (Down > 0 ? 0 : R - 1);
      PB_TILE_EACH(l, W)
      if (!isPart || v * W + l < n)
        __builtin_memcpy(at + l * apart, reinterpret_cast<const T *>(&squares[l % R]) + l / R * R,
                         R * sizeof(T));
    }
    return;
  }
  PB_TILE_EACH(v, V)
  PB_TILE_EACH(s, (R + W - 1) / W) {
    const int first = s * W, rows = R - first < W ? R - first : W;
    Vector<T, W> square[W];
    PB_TILE_EACH(i, W)
    square[i] = i < rows ? block[Down > 0 ? first + i : first + rows - 1 - i][v] : Vector<T, W>{};
    turn<W, T>(square);
    T *const at = to + v * W * apart + (Down > 0 ? first : -(first + rows - 1));
    PB_TILE_EACH(l, W)
    if (!isPart || v * W + l < n) {
      if (rows == W)
        store<W, false>(at + l * apart, square[l], W);
      else
        store<W, true>(at + l * apart, square[l], rows);
    }
  }
}
template <int Down, bool isPart, class T, int R, int V, int W = kVectorBytes / static_cast<int>(sizeof(T))>
[[gnu::always_inline]] inline void loadTurned(Vector<T, W> (&block)[R][V], const T *from, long apart,
                                              [[maybe_unused]] long n) {
  if constexpr (kSquaresSideBySide<R, W>) {
    PB_TILE_EACH(v, V) {
      const T *const at = from + v * W * apart - (Down > 0 ? 0 : R - 1);
      Vector<T, W> squares[R]{};
      PB_TILE_EACH(l, W)
      if (!isPart || v * W + l < n)
        __builtin_memcpy(reinterpret_cast<T *>(&squares[l % R]) + l / R * R, at + l * apart, R * sizeof(T));
      turn<W, T>(squares);
      PB_TILE_EACH(i, R)
      block[Down > 0 ? i : R - 1 - i][v] = squares[i];
    }
    return;
  }
  PB_TILE_EACH(v, V)
  PB_TILE_EACH(s, (R + W - 1) / W) {
    const int first = s * W, rows = R - first < W ? R - first : W;
    const T *const at = from + v * W * apart + (Down > 0 ? first : -(first + rows - 1));
    Vector<T, W> square[W];
    PB_TILE_EACH(l, W) {
      square[l] = Vector<T, W>{};
      if (!isPart || v * W + l < n)
        square[l] = rows == W ? load<W, false>(at + l * apart, W) : load<W, true>(at + l * apart, rows);
    }
    turn<W, T>(square);
    PB_TILE_EACH(i, W)
    if (i < rows)
      block[Down > 0 ? first + i : first + rows - 1 - i][v] = square[i];
  }
}

/// A vector whose halves lie apart: a processor loads and stores them for less than it takes to exchange halves of registers.
template <int W, class T>
[[gnu::always_inline]] inline Vector<T, W> loadHalves(const T *low, const T *high) {
  Vector<T, W> v;
  __builtin_memcpy(&v, low, W / 2 * sizeof(T));
  __builtin_memcpy(reinterpret_cast<T *>(&v) + W / 2, high, W / 2 * sizeof(T));
  return v;
}

template <int W, class T>
[[gnu::always_inline]] inline void storeHalves(T *low, T *high, Vector<T, W> v) {
  __builtin_memcpy(low, &v, W / 2 * sizeof(T));
  __builtin_memcpy(high, reinterpret_cast<const T *>(&v) + W / 2, W / 2 * sizeof(T));
}

/// `cells` neighbouring cells of each of N rows, of which the second one begins at `next`: those at one place along the rows get side by side
/// in an array of N cells for each place.
template <int N, int cells, class T>
[[gnu::always_inline]] inline void loadRows(const T *from, const T *next, T *to) {
  constexpr int W = N < cells ? N : cells, H = W / 2;
  const long apart = next - from;
  PB_TILE_EACH(y, N / W)
  PB_TILE_EACH(x, cells / W) {
    const T *const at = from + y * W * apart + x * W;
    Vector<T, W> square[W];
    PB_TILE_EACH(r, H) {
      square[r] = loadHalves<W>(at + r * apart, at + (r + H) * apart);
      square[r + H] = loadHalves<W>(at + r * apart + H, at + (r + H) * apart + H);
    }
    turn<W, T, W, 1, H>(square);
    PB_TILE_EACH(c, W)
    store<W, false>(to + (x * W + c) * N + y * W, square[c], W);
  }
}
/// The same from the array to the rows.
template <int N, int cells, class T>
[[gnu::always_inline]] inline void storeRows(T *to, T *next, const T *from) {
  constexpr int W = N < cells ? N : cells, H = W / 2;
  const long apart = next - to;
  PB_TILE_EACH(y, N / W)
  PB_TILE_EACH(x, cells / W) {
    T *const at = to + y * W * apart + x * W;
    Vector<T, W> square[W];
    PB_TILE_EACH(c, W)
    square[c] = load<W, false>(from + (x * W + c) * N + y * W, W);
    turn<W, T, W, 1, H>(square);
    PB_TILE_EACH(r, H) {
      storeHalves<W>(at + r * apart, at + (r + H) * apart, square[r]);
      storeHalves<W>(at + r * apart + H, at + (r + H) * apart + H, square[r + H]);
    }
  }
}

} // namespace pb
