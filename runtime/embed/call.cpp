// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/call.h"
#include "runtime/embed/array_texts.h"
#include "runtime/embed/arrays.h"
#include "runtime/embed/big_stack.h"
#include "runtime/embed/borrowed_arrays.h"
#include "runtime/embed/refusal.h"
#include "runtime/matrix/memo.h"
#include "runtime/program/device_run.h"
#include <algorithm>
#include <cstring>
#include <pthread.h>

namespace pb::embed {
namespace {

/// The first of a function's accuracy bins that is accurate enough: the cheapest.
const Transform &transformFor(const pbc_context &context, const pbc_function &function, int first,
                              double accuracy) {
  const Transform *const *const bins = context.program().transforms + first;
  if (function.target_count < 2)
    return **bins;
  for (int bin = 0; bin < function.target_count; ++bin) {
    const Transform &t = *bins[bin];
    if (t.better == Better::Smaller ? t.target <= accuracy : t.target >= accuracy)
      return t;
  }
  const Transform &best = *bins[function.target_count - 1];
  throw Refusal(PBC_ERROR_ACCURACY, std::string(function.name) + ": its accuracy targets end at " +
                                        numberText(best.target) + ", and the call asks for " +
                                        numberText(accuracy));
}

/// All sizes of a call; those that are not known yet are -1.
class Sizes {
public:
  Sizes(const Transform &t, const int64_t *given, const char *function) {
    if (t.sizeCount > kUsual) {
      many_ = std::make_unique<long[]>(static_cast<std::size_t>(t.sizeCount));
      all_ = many_.get();
    }
    int used = 0;
    for (int i = 0; i < t.sizeCount; ++i) {
      all_[i] = -1;
      if (i < t.paramCount || isOpen(t, t.sizeNames[i])) {
        if (!given)
          throw Refusal(PBC_ERROR_ARGUMENT,
                        std::string(function) + ": the call gives no size " + t.sizeNames[i]);
        all_[i] = given[used++];
      }
    }
  }
  long *data() { return all_; }
  /// What selectors and cut-offs call the size of the call.
  long largest(int count) const { return count ? std::max(1L, *std::max_element(all_, all_ + count)) : 1; }

private:
  static constexpr int kUsual = 12;
  static bool isOpen(const Transform &t, const char *name) {
    for (const char *const *open = t.openSizes; open && *open; ++open)
      if (!std::strcmp(*open, name))
        return true;
    return false;
  }
  long usual_[kUsual];
  std::unique_ptr<long[]> many_;
  long *all_ = usual_;
};

/// While it lives, pthread_cancel() does not end the calling thread: workers use what lies on its stack.
class WithoutCancellation {
public:
  WithoutCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation &) = delete;
  WithoutCancellation &operator=(const WithoutCancellation &) = delete;

private:
  int before_ = 0;
};

/// A run in which devices take part.
void runOnDevices(pbc_context &context, const Transform &t, Arrays &arrays, const long *sizes) {
  arrays.own();
  const program::WholeRun whole{t, arrays.regions(), sizes,
                                !arrays.areOnDevices() && !arrays.overwritesInputs(), arrays.lent()};
  const auto sayNotes = [&] {
    for (const std::string &what : context.devices()->takeNotes())
      context.say(what);
  };
  const auto here = [&] { program::runWhole(context.scheduler(), context.devices(), whole); };
  try {
    hasBigStack() ? onBigStack(here) : here();
  } catch (const device::DeviceError &e) {
    sayNotes();
    throw Refusal(PBC_ERROR_DEVICE, std::string(t.name) + ": " + e.what());
  }
  sayNotes();
}

/// Who computes a call.
struct Where {
  bool
      isWorker; // the calling thread is a worker of the context, whose rule calls the library: it must not wait for itself
  bool isBelow;    // the cut-off
  bool hasDevices; // they may take part
};

void run(pbc_context &context, const Transform &t, Arrays &arrays, const long *sizes, const Where &where) {
  if (where.isWorker)
    return t.runHere(arrays.regions(), sizes, t.bin);
  const WithoutCancellation guard;
  const bool isBelow = where.isBelow;
  if (where.hasDevices)
    return runOnDevices(context, t, arrays, sizes);
  // One worker would do the same while this thread waits for it.
  const bool isHere = context.execution().threads == 1 || isBelow;
  const AnyRegion *const regions = arrays.regions();
  if (isHere && !t.mayRecurse)
    return t.runHere(regions, sizes, t.bin);
  if (!hasBigStack())
    return context.scheduler().run(t.start(regions, sizes, t.bin));
  onBigStack([&] {
    if (isHere)
      t.runHere(regions, sizes, t.bin);
    else
      context.scheduler().run(t.start(regions, sizes, t.bin));
  });
}

/// The same with arrays on devices, which are there before and after it.
void runBorrowing(pbc_context &context, const Transform &t, Arrays &arrays, const long *sizes,
                  const Where &where) {
  const Library &library = *context.library;
  const WithoutCancellation guard;
  try {
    BorrowedArrays borrowed(*context.devices(), arrays);
    borrowed.borrow();
    if (!where.hasDevices || library.remembers) // what is remembered is compared by the processor
      borrowed.toHost();
    if (library.takesPointers)
      arrays.closeGaps();
    run(context, t, arrays, sizes, where);
    arrays.putBack();
    borrowed.wroteOnHost(where.hasDevices ? BorrowedArrays::Which::Replaced : BorrowedArrays::Which::All);
    borrowed.giveBack();
  } catch (const device::DeviceError &e) {
    throw Refusal(PBC_ERROR_DEVICE, std::string(t.name) + ": " + e.what());
  }
}

} // namespace

void call(pbc_context &context, int function, pbc_array *const *arrays, const int64_t *given,
          double accuracy) {
  const Library &library = *context.library;
  if (function < 0 || function >= library.about->function_count)
    throw Refusal(PBC_ERROR_ARGUMENT, "the library has no function " + std::to_string(function));
  const pbc_function &about = library.about->functions[function];
  const bool isWorker = task::Scheduler::current() && pb_execution == &context.execution();
  const Inside inside(context);
  const Transform &t = transformFor(context, about, library.first[function], accuracy);
  Arrays all(t, arrays, context.devices());
  Sizes sizes(t, given, about.name);
  all.fit(sizes.data(), t.bin);
  if (library.remembers && !isWorker)
    matrix::forgetCalls();
  const bool isBelow = sizes.largest(t.sizeCount) < ofContext(t.cutoff)[t.bin];
  const Where where{isWorker, isBelow, context.placesSteps() && !isWorker && !isBelow};
  if (all.areOnDevices()) {
    runBorrowing(context, t, all, sizes.data(), where);
  } else {
    if (library.takesPointers)
      all.closeGaps();
    run(context, t, all, sizes.data(), where);
    all.putBack();
  }
  all.giveOut();
}

} // namespace pb::embed
