// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/session.h"
#include "runtime/device/group_size.h"
#include "runtime/device/kernel_form.h"
#include "runtime/device/launch_parts.h"
#include "runtime/device/launch_rows.h"
#include "runtime/device/maps.h"
#include "runtime/device/session_side.h"
#include "runtime/device/size_of_build.h"
#include <algorithm>
#include <climits>
#include <deque>
#include <iterator>
#include <utility>

namespace pb::device {

namespace {

/// Limits the tiles, because items without points in any tile would only wait for the others.
void tilesOf(Launch &launch, const DeviceStep &step, const DeviceKernel &kernel, const Frame *frame) {
  kernel.tiles(frame, &launch.box);
  for (int d = 0; d < launch.box.rank; ++d)
    launch.tile[d] = std::max(1L, ofContext(step.tile)[kTileFunctions * frame->bin + d]);
  for (int d = 0; d < 3; ++d)
    launch.group[d] =
        d + 1 < launch.box.rank ? static_cast<int>(std::min<long>(launch.group[d], launch.tile[d])) : 1;
}

} // namespace

Session::Session(std::vector<std::unique_ptr<Device>> devices, const Settings &settings)
    : table_(static_cast<int>(devices.size())) {
  for (auto &device : devices) {
    auto side = std::make_unique<Side>();
    Device &kept = *device;
    device::Options options;
    options.index = static_cast<int>(sides_.size());
    options.trace = settings.trace;
    options.say = settings.say;
    side->manager = std::make_unique<Manager>(std::move(device), table_, options);
    side->shelf = std::make_unique<KernelShelf>(kept, settings.buildLimit, settings.watchBuild,
                                                KernelShelf::processors(), settings.say);
    sides_.push_back(std::move(side));
  }
}

Session::~Session() {
  for (auto &side : sides_)
    side->shelf.reset(); // before the device
}

std::vector<std::pair<std::string, Counters>> Session::counters() const {
  std::vector<std::pair<std::string, Counters>> all;
  for (const auto &side : sides_)
    all.emplace_back(side->manager->about().name, side->manager->counters());
  return all;
}

std::vector<std::string> Session::takeNotes() {
  std::lock_guard hold(mutex_);
  return std::exchange(notes_, {});
}

void Session::note(const std::string &what, const std::string &why) {
  std::lock_guard hold(mutex_);
  if (said_.insert(what).second)
    notes_.push_back(what + ": " + why);
}

/// The reader of lost data knows only that it is lost; the device knows why.
void Session::noteLoss(const std::string &why) {
  std::string all;
  for (const auto &side : sides_)
    if (side->manager->isLost())
      all += (all.empty() ? "" : "; ") + std::string(side->manager->lostError().what());
  note("the program begins again without a device", all.empty() ? why : all);
}

void Session::leave(const Placed &placed, const std::string &why, bool forGood) {
  const Description &about = placed.side->manager->about();
  if (forGood) {
    std::lock_guard hold(placed.side->mutex);
    placed.side->refused.insert(placed.step->device);
  }
  note(std::string(placed.step->device->name) + " runs on the processor",
       (why.starts_with(about.name) ? "" : about.name + ": ") + why);
}

Job Session::prepareHost(const Frame *frame, const DeviceStep *step, std::optional<Box> part) {
  const StepArguments arguments(*step, frame, part ? &*part : nullptr);
  std::vector<HostUse> uses;
  for (int m = 0; m < step->matrixCount; ++m) {
    const DeviceMatrix &matrix = step->matrices[m];
    if (!arguments.matrix(m).owner) // no device keeps it
      continue;
    if (matrix.reads)
      uses.push_back({placeAt(*step, arguments, m, arguments.read(m)), true, false});
    if (matrix.writes)
      uses.push_back({placeAt(*step, arguments, m, arguments.written(m)), false, true, matrix.covers});
  }
  if (!hostMayAccess(table_, uses))
    co_await hostAccess(table_, std::move(uses));
}

Job Session::toHost(const Frame *frame, const DeviceStep *step) { return prepareHost(frame, step, {}); }

Job Session::leaveDevices(const Frame *frame, const DeviceStep *step) {
  const StepArguments arguments(*step, frame, nullptr);
  std::vector<HostUse> uses;
  for (int m = 0; m < step->matrixCount; ++m)
    if (arguments.matrix(m).owner)
      uses.push_back({placeAt(*step, arguments, m, arguments.read(m)), true, true});
  return toHost(std::move(uses));
}

Job Session::toHost(std::vector<HostUse> uses) {
  if (!hostMayAccess(table_, uses))
    co_await hostAccess(table_, std::move(uses));
}

/// The part that a device leaves to the processor; nothing: the whole step.
std::optional<Box> Session::restOf(const Frame *frame, const Placed &placed) {
  if (!placed.isShared())
    return std::nullopt;
  const DeviceStep &device = *placed.step->device;
  Box rest;
  device.box(frame, &rest);
  rest.low[device.shared] = placed.box.high[device.shared];
  return rest;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a coroutine keeps what it works on
Job Session::onProcessor(const Frame *frame, const LoopStep *step, std::optional<Box> part,
                         std::shared_ptr<PartTimes> times) { // NOLINT(performance-unnecessary-value-param)
  if (step->versions && step->versions->guarded && !part && areUsed())
    co_await prepareHost(frame, step->versions->guarded, part);
  if (step->device && areUsed())
    co_await prepareHost(frame, step->device, part);
  if (!part) {
    co_await task::runStep(*step, frame);
    co_return;
  }
  const int d = step->device->shared, own = step->device->sharedInLoop;
  Box box = task::boxOf(*step, frame);
  box.low[own] = std::max(box.low[own], part->low[d]);
  box.high[own] = std::min(box.high[own], part->high[d]);
  const unsigned long begin = Trace::now();
  if (!isEmpty(box))
    co_await task::runStep(*step, frame, box);
  if (times)
    times->processor.store(std::max(1UL, Trace::now() - begin), std::memory_order_release);
}

Launch Session::launchOf(const Placed &placed, const StepArguments &arguments, const LoopStep *end,
                         const Frame *frame) const {
  const DeviceStep &step = *placed.step->device;
  Launch launch;
  launch.name = step.name;
  for (int m = 0; m < step.matrixCount; ++m) {
    const DeviceMatrix &matrix = step.matrices[m];
    LaunchMatrix argument;
    argument.place = placeAt(step, arguments, m, {});
    argument.read = arguments.read(m), argument.written = arguments.written(m);
    const bool isMade = m < 64 && placed.step->made >> m & 1;
    argument.reads = matrix.reads && !isMade, argument.writes = matrix.writes,
    argument.covers = matrix.covers;
    argument.copiesOut = matrix.writes && mustCopyOut(frame, matrix.name, placed.step + 1, end);
    launch.matrices.push_back(argument);
  }
  for (int v = 0; v < step.valueCount; ++v)
    launch.values.push_back(arguments.value(v).integer);
  if (placed.times)
    launch.end = placed.times->device;
  return launch;
}

void Session::shape(Launch &launch, const Placed &placed, const DeviceKernel &kernel,
                    const StepArguments &arguments, const Frame *frame) {
  const DeviceStep &step = *placed.step->device;
  launch.sizes.clear();
  for (int s = 0; s < kernel.sizeCount; ++s)
    launch.sizes.push_back(arguments.value(kernel.sizes[s].value).integer);
  groupOf(step, frame, placed.side->manager->about(), launch.group);
  launch.box = placed.box;
  launch.inRounds = step.inRounds && !kernel.tiles;
  launch.parts.clear();
  for (int d = 0; d < 3; ++d)
    launch.cells[d] = kernel.hasCells && (d < 2 || kernel.hasPlanes)
                          ? static_cast<int>(std::max(1L, ofContext(step.cells)[3 * frame->bin + d]))
                          : 1;
  launch.hasRuns = kernel.hasRuns;
  launch.together = kernel.steps;
  launch.steps = kernel.steps ? std::max(1L, ofContext(step.steps)[3 * frame->bin]) : 1;
  for (int d = 0; d < 2 && kernel.steps; ++d)
    launch.cells[d] = static_cast<int>(std::max(1L, ofContext(step.steps)[3 * frame->bin + 1 + d]));
  launch.teams = {};
  std::fill_n(launch.tile, kTileFunctions, 0L);
  launch.rows = {};
  int items = launch.box.rank - (launch.inRounds ? 1 : 0);
  if (kernel.rows) {
    findRows(launch, *kernel.rows, frame, std::max(1L, ofContext(step.rows)[frame->bin]));
    ++items;            // of updates, along the rows
  } else if (step.rows) // groups have another axis there
    for (int d = items; items > 0 && d < 3; ++d)
      launch.group[items - 1] *= launch.group[d];
  if (kernel.tiles)
    tilesOf(launch, step, kernel, frame);
  else
    for (int d = std::max(items, kernel.teams ? 1 : 0); d < 3; ++d)
      launch.group[d] = 1;
  if (step.parts && !kernel.tiles && !kernel.teams)
    findParts(launch, step, frame, placed.side->manager->about());
  if (kernel.hasRuns)
    shortenRuns(launch, placed.side->manager->about().units);
  if (kernel.teams) {
    launch.teams =
        teamsOf(step, *kernel.teams, frame, launch.box, placed.side->manager->about(), launch.group);
    launch.cells[0] = launch.teams.cells;
  }
}

/// Why no kernel is built for the sizes of the launch; "" if one is.
static std::string whyNotBuilt(const DeviceKernel &kernel, const Launch &launch) {
  for (std::size_t s = 0; s < launch.sizes.size(); ++s)
    if (const DeviceSize &size = kernel.sizes[s];
        launch.sizes[s] < size.least || launch.sizes[s] > kMostSizeOfBuild)
      return "its version `" + std::string(kernel.variant) + "` is built for each `" + size.name + "` from " +
             std::to_string(size.least) + " to " + std::to_string(kMostSizeOfBuild) + ", and it is " +
             std::to_string(launch.sizes[s]);
  return "";
}

/// The version that the launch uses, whose shape it gets: the simplest one if the device has not enough memory
/// for a group of the one that was asked for (requirement 21).
const DeviceKernel *Session::usableKernel(Launch &launch, const Placed &placed,
                                          const StepArguments &arguments, const Frame *frame) {
  const DeviceStep &step = *placed.step->device;
  const DeviceKernel *kernel = &step.kernels[placed.version];
  shape(launch, placed, *kernel, arguments, frame);
  const Description &about = placed.side->manager->about();
  if (const std::string why = whyTooLarge(step, frame, launch.group); !why.empty())
    note(std::string(step.name) + " runs in smaller groups on " + about.name, why);
  const std::string whyNot = whyNotBuilt(*kernel, launch);
  const long needed = kernel->localBytes && whyNot.empty()
                          ? kernel->localBytes(launch.group, launch.cells, launch.sizes.data())
                          : 0;
  const auto most = static_cast<long>(std::max(about.localBytes, about.mostLocalBytes));
  if (!whyNot.empty())
    note(std::string(step.name) + " runs in its simplest version on " + about.name, whyNot);
  if (needed > most && kernel != step.kernels)
    note(std::string(step.name) + " runs in its simplest version on " + about.name,
         "a group of its version `" + std::string(kernel->variant) + "` needs " + std::to_string(needed) +
             " bytes of memory, and can have " + std::to_string(most));
  if (!kernel->source || !whyNot.empty() || needed > most) {
    kernel = step.kernels;
    shape(launch, placed, *kernel, arguments, frame);
  }
  for (LaunchPart &part : launch.parts)
    if (kernel->localBytes && kernel->localBytes(part.group, launch.cells, launch.sizes.data()) > most)
      std::copy_n(launch.group, 3, part.group);
  return kernel;
}

void Session::askForKernel(const Placed &placed, const Frame *frame) {
  if (!placed.side)
    return;
  const DeviceStep &step = *placed.step->device;
  const StepArguments arguments(step, frame, &placed.box);
  Launch launch;
  const DeviceKernel *kernel = usableKernel(launch, placed, arguments, frame);
  placed.side->shelf->get(*kernel, launch.group, launch.cells, formOf(step, *kernel, arguments, launch),
                          launch.sizes);
}

Job Session::onDevice(const Frame *frame, std::vector<Placed> batch, const LoopStep *end) {
  for (std::size_t next = 0; next < batch.size();) {
    Side *const side = batch[next].side;
    const std::size_t first = next;
    std::vector<Launch> launches;
    std::vector<std::size_t> ofLaunch; // which of the batch each launch is for
    std::vector<MapMemory> copied;     // until the launches were given
    std::string why;                   // why the processor computes the step
    // A launch that writes memory without a storage, so that only this submission knows of it.
    int alone = INT_MAX;
    bool areAllAsked = false;
    for (; side && next < batch.size() && batch[next].side == side; ++next) {
      const DeviceStep &step = *batch[next].step->device;
      const StepArguments arguments(step, frame, &batch[next].box);
      Launch launch = launchOf(batch[next], arguments, end, frame);
      const DeviceKernel *kernel = usableKernel(launch, batch[next], arguments, frame);
      MapLaunches copies;
      if (kernel->mapCount > 0)
        co_await addMaps(copies, launch, *kernel, step, *side->shelf, frame);
      if (!copies.why.empty()) {
        note(std::string(step.name) + " runs in its simplest version on " + side->manager->about().name,
             copies.why);
        kernel = step.kernels;
        shape(launch, batch[next], *kernel, arguments, frame);
      }
      RowsMemory sums;
      if (kernel->rows)
        co_await addRows(sums, launch, *kernel, step, *side->shelf, formOf(step, *kernel, arguments, launch));
      if (!sums.why.empty()) {
        note(std::string(step.name) + " runs in its simplest version on " + side->manager->about().name,
             sums.why);
        kernel = step.kernels;
        shape(launch, batch[next], *kernel, arguments, frame);
      }
      KernelShelf::Awaiter wanted = side->shelf->get(*kernel, launch.group, launch.cells,
                                                     formOf(step, *kernel, arguments, launch), launch.sizes);
      if (!wanted.await_ready() && !std::exchange(areAllAsked, true)) // they are built together
        for (std::size_t k = next + 1; k < batch.size(); ++k)
          askForKernel(batch[k], frame);
      KernelShelf::Built built = co_await wanted;
      if (!built.kernel && !built.isLost &&
          kernel != step.kernels) { // requirement 16: only this version cannot be used
        note(std::string(step.name) + " runs in its simplest version on " + side->manager->about().name,
             built.why);
        kernel = step.kernels;
        copies = {};
        sums = {};
        launch.matrices.resize(static_cast<std::size_t>(step.matrixCount));
        shape(launch, batch[next], *kernel, arguments, frame);
        built = co_await side->shelf->get(*step.kernels, launch.group, launch.cells,
                                          formOf(step, *step.kernels, arguments, launch));
      }
      if (!built.kernel) {
        leave(batch[next], built.why, !built.isLost);
        why = built.why;
        break;
      }
      std::move(copies.launches.begin(), copies.launches.end(), std::back_inserter(launches));
      std::move(copies.memory.begin(), copies.memory.end(), std::back_inserter(copied));
      std::move(sums.memory.begin(), sums.memory.end(), std::back_inserter(copied));
      ofLaunch.resize(launches.size() + 1, next);
      for (int m = 0; m < step.matrixCount; ++m)
        if (step.matrices[m].writes && !arguments.matrix(m).owner)
          alone = std::min(alone, static_cast<int>(launches.size()));
      if (step.kernels[0].isLibrary)
        side->manager->plan(*built.kernel, arguments.libraryMatrices(step));
      launch.kernel = std::move(built.kernel);
      const auto ofPart = [&](const LaunchPart &part) {
        return side->shelf->get(*kernel, part.group, launch.cells, formOf(step, *kernel, arguments, launch),
                                launch.sizes);
      };
      std::deque<KernelShelf::Awaiter> others; // they are built together
      for (const LaunchPart &part : launch.parts)
        others.push_back(ofPart(part));
      for (LaunchPart &part : launch.parts) {
        const KernelShelf::Built own = co_await others[static_cast<std::size_t>(&part - launch.parts.data())];
        if (own.kernel)
          part.kernel = own.kernel;
        else
          std::copy_n(launch.group, 3, part.group);
      }
      launches.push_back(std::move(launch));
    }
    if (!launches.empty()) {
      markUsed();
      for (std::size_t k = first; k < next; ++k)
        if (batch[k].times) // without the time in which kernels were built
          batch[k].times->begin = Trace::now();
      const Submitted submitted = co_await side->manager->submit(std::move(launches));
      if (submitted.why && submitted.why->failure() == Failure::Lost && submitted.count > alone)
        throw DeviceError(*submitted.why); // its output did not come back
      if (submitted.why) {
        next = ofLaunch[static_cast<std::size_t>(submitted.count)];
        why = submitted.why->what();
        leave(batch[next], why, submitted.why->failure() == Failure::Launch);
      }
    }
    if (side && why.empty())
      continue;
    const Placed &left = batch[next++];
    co_await onProcessor(frame, left.step, left.isShared() ? std::optional(left.box) : std::nullopt);
    for (std::size_t k = next; k < batch.size(); ++k) // the device may be lost, or refuse several launches
      if (batch[k].side && !isUsable(*batch[k].side, *batch[k].step->device))
        batch[k].side = anySide(*batch[k].step->device);
  }
}

Job Session::walk(const Frame *frame, const LoopStep *steps, int count) {
  const LoopStep *const end = steps + count;
  while (steps != end) {
    // Takes a level, and further levels as long as all of their steps go to devices.
    std::vector<Placed> onDevices, onProcessors;
    bool takesMore = true;
    while (steps != end && takesMore) {
      const int level = steps->level;
      for (; steps != end && steps->level == level; ++steps) {
        Placed placed = placeNow(frame, *steps);
        if (placed.side)
          onDevices.push_back(placed);
        if (!placed.side || placed.isShared())
          onProcessors.push_back(placed);
      }
      takesMore = onProcessors.empty() && steps != end;
      for (const LoopStep *s = steps; takesMore && s != end && s->level == steps->level; ++s) {
        const Placed placed = place(frame, *s);
        takesMore = placed.side && !placed.isShared();
      }
    }
    spread(frame, onDevices);
    if (!onDevices.empty())
      co_await onDevice(frame, std::move(onDevices), end);
    SpawnScope others;
    for (std::size_t k = 1; k < onProcessors.size(); ++k)
      others.spawn(
          onProcessor(frame, onProcessors[k].step, restOf(frame, onProcessors[k]), onProcessors[k].times));
    if (!onProcessors.empty())
      co_await onProcessor(frame, onProcessors.front().step, restOf(frame, onProcessors.front()),
                           onProcessors.front().times);
    co_await others.sync();
  }
}

} // namespace pb::device
