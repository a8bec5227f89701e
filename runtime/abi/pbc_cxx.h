// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the C++ headers of all libraries have in common (C++20): typed views, exceptions, contexts that end by
// themselves. The header that is made for a library begins with this text, behind that of pbc.h.
//
//   pbc::mm::Context mm;
//   std::vector<double> a(6), b(6);
//   pbc::View<double, 2> m(a.data(), {3, 2});                  // m(x, y), 3 wide and 2 high, row by row
//   mm.Smooth(a, b);                                           // vectors and spans are views of one dimension
//   pbc::Array<double, 2> ab = mm.MatMul(m, m.transposed());   // outputs that are left out are allocated
//   ab(0, 1);                                                  // x first, as in the language
#ifndef PBC_CXX_H
#define PBC_CXX_H

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pbc {

/// What a function throws: the status of pbc.h, and the reason in words.
class Error : public std::runtime_error {
public:
  Error(std::int32_t status, const char *what) : runtime_error(what), status_(status) {}
  std::int32_t status() const { return status_; }

private:
  std::int32_t status_;
};

template <class T>
struct ElementOf;
template <>
struct ElementOf<double> : std::integral_constant<std::int32_t, PBC_F64> {};
template <>
struct ElementOf<float> : std::integral_constant<std::int32_t, PBC_F32> {};
template <>
struct ElementOf<std::int32_t> : std::integral_constant<std::int32_t, PBC_I32> {};
template <>
struct ElementOf<std::int64_t> : std::integral_constant<std::int32_t, PBC_I64> {};
template <>
struct ElementOf<std::uint8_t> : std::integral_constant<std::int32_t, PBC_U8> {};

/// Cells somewhere in memory, as a region of the language: D coordinates, x first; strides in elements, of any sign.
/// `T` is const for cells that are only read. Copies show the same cells.
template <class T, int D>
class View {
public:
  using Sizes = std::array<std::int64_t, D>;

  /// Without gaps, x contiguous.
  View(T *data, const Sizes &extents) : data_(data), extents_(extents) {
    std::int64_t stride = 1;
    for (int d = 0; d < D; ++d)
      strides_[d] = stride, stride *= extents[d];
  }
  View(T *data, const Sizes &extents, const Sizes &strides)
      : data_(data), extents_(extents), strides_(strides) {}
  template <class R>
    requires(D == 1 && std::convertible_to<R, std::span<T>>)
  View(R &&cells)
      : View(std::span<T>(cells).data(), {static_cast<std::int64_t>(std::span<T>(cells).size())}) {}
  template <class U>
    requires(!std::same_as<U, T> && std::same_as<const U, T>)
  View(const View<U, D> &o) : View(o.data(), o.extents(), o.strides()) {
    place_ = o.place(), device_ = o.device();
  }

  template <std::integral... I>
    requires(sizeof...(I) == D)
  T &operator()(I... at) const {
    const std::int64_t index[] = {static_cast<std::int64_t>(at)...};
    std::int64_t offset = 0;
    for (int d = 0; d < D; ++d)
      offset += index[d] * strides_[d];
    return data_[offset];
  }
  T *data() const { return data_; }
  const Sizes &extents() const { return extents_; }
  const Sizes &strides() const { return strides_; }
  std::int64_t extent(int d) const { return extents_[static_cast<std::size_t>(d)]; }
  /// The same view of memory on a device, PBC_CUDA for example: data() is the address there, and only functions access the cells.
  View on(std::int32_t place, std::int32_t device = 0) const {
    View v = *this;
    v.place_ = place, v.device_ = device;
    return v;
  }
  std::int32_t place() const { return place_; }
  std::int32_t device() const { return device_; }
  /// Dimensions in reverse order.
  View transposed() const {
    View v = *this;
    for (int d = 0; d < D; ++d)
      v.extents_[d] = extents_[D - 1 - d], v.strides_[d] = strides_[D - 1 - d];
    return v;
  }
  /// Cells begin <= coordinate < end of dimension d.
  View part(int d, std::int64_t begin, std::int64_t end) const {
    View v = *this;
    v.data_ += begin * strides_[static_cast<std::size_t>(d)];
    v.extents_[static_cast<std::size_t>(d)] = end - begin;
    return v;
  }

  pbc_array array() const {
    pbc_array a = pbc_array_wanted();
    a.data = const_cast<std::remove_const_t<T> *>(data_);
    a.element = ElementOf<std::remove_const_t<T>>::value;
    a.rank = D;
    a.place = place_;
    a.device = device_;
    a.flags = std::is_const_v<T> ? PBC_READ_ONLY : 0;
    for (int d = 0; d < D; ++d)
      a.extent[d] = extents_[d], a.stride[d] = strides_[d];
    return a;
  }

private:
  T *data_;
  Sizes extents_, strides_{};
  std::int32_t place_ = PBC_HOST, device_ = 0;
};

/// Cells that a function has allocated. They live as long as the object, also without the context.
template <class T, int D>
class Array {
public:
  using Free = void (*)(pbc_array *);
  Array(pbc_array array, Free free) : array_(array), free_(free) {}
  Array(Array &&o) noexcept : array_(std::exchange(o.array_, pbc_array_wanted())), free_(o.free_) {}
  Array &operator=(Array &&o) noexcept {
    std::swap(array_, o.array_);
    std::swap(free_, o.free_);
    return *this;
  }
  ~Array() { free_(&array_); }

  View<T, D> view() const {
    typename View<T, D>::Sizes extents, strides;
    for (int d = 0; d < D; ++d)
      extents[d] = array_.extent[d], strides[d] = array_.stride[d];
    return {static_cast<T *>(array_.data), extents, strides};
  }
  operator View<T, D>() const { return view(); }
  operator View<const T, D>() const { return view(); }
  template <std::integral... I>
  T &operator()(I... at) const {
    return view()(at...);
  }
  std::int64_t extent(int d) const { return array_.extent[d]; }

private:
  pbc_array array_;
  Free free_;
};

struct Options {
  int threads = 0;                                ///< workers; 0: as the configuration says
  std::optional<std::string> configuration = {};  ///< a file; nothing: the one beside the library; "": none
  std::optional<std::string> devices = {};        ///< as for --devices; nothing: PB_DEVICES, or all; "none"
  std::uint64_t seed = 0;                         ///< of random numbers in rules; 0: 1, as in programs
  std::function<void(const char *text)> say = {}; ///< gets warnings, from any thread; it must not throw
};

/// The context of a library, whose functions are `create` to `free`. Destroying it needs that no call is under way.
class AnyContext {
public:
  explicit AnyContext(const pbc_library &library, const Options &options)
      : library_(&library), options_(std::make_unique<Options>(options)) {
    pbc_options given = {};
    given.threads = options.threads;
    given.seed = options.seed;
    given.configuration = options_->configuration ? options_->configuration->c_str() : nullptr;
    given.devices = options_->devices ? options_->devices->c_str() : nullptr;
    if (options_->say) {
      given.say = [](void *user, const char *text) { static_cast<Options *>(user)->say(text); };
      given.user = options_.get();
    }
    const std::int32_t status = library.create(PBC_ABI_VERSION, &given, &context_);
    if (status == PBC_OK)
      return;
    const Error error(status, context_ ? library.message(context_) : "there is no memory for a context");
    library.destroy(context_);
    throw error;
  }
  AnyContext(AnyContext &&o) noexcept
      : library_(o.library_), options_(std::move(o.options_)), context_(std::exchange(o.context_, nullptr)) {}
  AnyContext &operator=(AnyContext &&o) noexcept {
    std::swap(library_, o.library_);
    std::swap(options_, o.options_);
    std::swap(context_, o.context_);
    return *this;
  }
  ~AnyContext() { library_->destroy(context_); }

  pbc_context *get() const { return context_; }
  /// The values of all choices and tunables.
  std::string configuration() const { return library_->configuration(context_); }

protected:
  void check(std::int32_t status) const {
    if (status != PBC_OK)
      throw Error(status, library_->message(context_));
  }
  template <class T, int D>
  Array<T, D> owned(const pbc_array &array) const {
    return Array<T, D>(array, library_->free);
  }

private:
  const pbc_library *library_;
  std::unique_ptr<Options> options_;
  pbc_context *context_ = nullptr;
};

} // namespace pbc
#endif
