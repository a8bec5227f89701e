// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/radix_sort.h"

#include "runtime/matrix/element.h"

#include <algorithm>

namespace pb::device {
namespace {

/// Groups of the histograms for each unit of the device, and the least keys of an item of theirs.
constexpr long kHistogramGroups = 4, kHistogramKeys = 16;

/// Numbers in a row, somewhere in a buffer.
struct Numbers {
  Buffer *buffer = nullptr;
  long first = 0, step = 1; // in elements
};

} // namespace

RadixSort::RadixSort(Device &device, const LibraryCall &call)
    : call_(call), bytes_(static_cast<int>(matrix::bytes(call.element))),
      shape_(sortShape(device.about(), bytes_)) {
  for (int k = 0; k <= static_cast<int>(SortKernel::Pass); ++k) {
    const auto which = static_cast<SortKernel>(k);
    const bool isUsed = !shape_.looksBack || (which != SortKernel::Count && which != SortKernel::Rows);
    kernels_.push_back(isUsed ? device.build(sortKernel(which, shape_, call.element)) : nullptr);
  }
}

class RadixSort::Launches {
public:
  Launches(const RadixSort &sort, Device &device, long count)
      : sort_(sort), device_(device), count_(count),
        tiles_((count + sort.shape_.tile() - 1) / sort.shape_.tile()), places_(sort.bytes_),
        starts_(static_cast<long>(places_) * kSortDigits), row_(tiles_ * kSortDigits),
        marks_(device.allocate(sizeof(unsigned) * static_cast<unsigned long>(marks()))) {}

  EventRef run(const Numbers &to, const Numbers &from) {
    if (count_ == 0) {
      clear(from, 0);
      return std::move(events_);
    }
    // All memory before the first command.
    const bool isDirect = to.step == 1 && !device_.about().sharesMemory;
    const auto bytes = static_cast<unsigned long>(count_ * sort_.bytes_);
    const std::unique_ptr<Buffer> one = device_.allocate(bytes),
                                  other = isDirect ? nullptr : device_.allocate(bytes);
    const Numbers odd{one.get()}, even = isDirect ? to : Numbers{other.get()};

    if (from.step != 1)
      copy(even, from);
    Numbers in = from.step == 1 ? from : even;
    clear(in, cleared());
    const long most = device_.about().units * kHistogramGroups * sort_.shape_.items;
    const long items = std::min(most, rounded((count_ + kHistogramKeys - 1) / kHistogramKeys));
    give(SortKernel::Histograms,
         {Argument::reads(*in.buffer), Argument::of(in.first), Argument::writes(*marks_),
          Argument::of(count_), Argument::of(items)},
         items);
    give(SortKernel::Starts, {Argument::writes(*marks_)}, static_cast<long>(places_) * sort_.shape_.items);
    for (int place = 0; place < places_; ++place) {
      const Numbers &out = place % 2 == 0 ? odd : even;
      pass(place, out, in);
      in = out;
    }
    if (!isDirect)
      copy(to, even);
    return std::move(events_);
  }

private:
  /// Of unsigned numbers: the places of digits; for each pass the number of the next tile; what tiles publish in this
  /// pass and in the next one, or where their digits go.
  long marks() const { return tickets() + places_ + (sort_.shape_.looksBack ? 2 : 1) * row_; }
  long tickets() const { return starts_; }
  long area(int place) const { return tickets() + places_ + (sort_.shape_.looksBack ? place % 2 * row_ : 0); }
  /// What has to be zero before the first pass.
  long cleared() const { return tickets() + places_ + (sort_.shape_.looksBack ? row_ : 0); }
  long rounded(long items) const {
    return (items + sort_.shape_.items - 1) / sort_.shape_.items * sort_.shape_.items;
  }

  void clear(const Numbers &numbers, long count) {
    give(SortKernel::Clear,
         {Argument::writes(*marks_), Argument::reads(*numbers.buffer), Argument::of(count)}, count);
  }

  void pass(int place, const Numbers &to, const Numbers &from) {
    const auto of = [](long value) { return Argument::of(value); };
    const Argument starts = of(static_cast<long>(place) * kSortDigits), here = of(area(place)),
                   tiles = of(tiles_), count = of(count_), shift = of(place * kSortBits),
                   isFirst = of(place == 0), isLast = of(place == places_ - 1);
    const Argument marks = Argument::writes(*marks_), source = Argument::reads(*from.buffer),
                   sourceFirst = of(from.first);
    const long items = tiles_ * sort_.shape_.items;
    if (!sort_.shape_.looksBack) {
      give(SortKernel::Count, {source, sourceFirst, marks, here, tiles, count, shift, isFirst}, items);
      give(SortKernel::Rows, {marks, starts, here, tiles},
           static_cast<long>(kSortDigits) * sort_.shape_.items);
    }
    give(SortKernel::Pass,
         {source, sourceFirst, Argument::writes(*to.buffer), of(to.first), marks, starts,
          of(tickets() + place), here, of(place == places_ - 1 ? -1 : area(place + 1)), tiles, count, shift,
          isFirst, isLast},
         items);
  }

  void copy(const Numbers &to, const Numbers &from) {
    give(SortKernel::Copy,
         {Argument::reads(*from.buffer), Argument::of(from.first), Argument::of(from.step),
          Argument::writes(*to.buffer), Argument::of(to.first), Argument::of(to.step), Argument::of(count_)},
         count_);
  }

  void give(SortKernel which, const std::vector<Argument> &arguments, long items) {
    Kernel &kernel = *sort_.kernels_[static_cast<std::size_t>(which)];
    events_->add(device_.launch(kernel, arguments, {{rounded(items), 1, 1}, {sort_.shape_.items, 1, 1}}));
  }

  const RadixSort &sort_;
  Device &device_;
  const long count_, tiles_;
  const int places_;
  const long starts_, row_;
  const std::unique_ptr<Buffer> marks_;
  std::shared_ptr<CommandSequence> events_ = std::make_shared<CommandSequence>();
};

EventRef RadixSort::launch(Device &device, const std::vector<Argument> &arguments) const {
  const std::vector<LibraryMatrix> m = call_.matrices(arguments, [](Buffer &) { return 0UL; });
  const auto numbers = [&](std::size_t k) {
    const long first = static_cast<long>(m[k].address) / bytes_;
    return Numbers{arguments[3 * k].buffer, first, m[k].extent[0] > 1 ? m[k].stride[0] : 1};
  };
  const long count = std::max(0L, m[0].extent[0]), most = shape_.looksBack ? 1L << 30 : 1L << 31;
  if (count >= most)
    throw DeviceError(Failure::Unsuitable, "pbc.sort takes less than " + std::to_string(most) +
                                               " numbers on " + device.about().name + "; these are " +
                                               std::to_string(count));
  return Launches(*this, device, count).run(numbers(0), numbers(1));
}

} // namespace pb::device
