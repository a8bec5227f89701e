// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/check.h"
#include "runtime/base/errors.h"
#include "runtime/base/number.h"
#include "runtime/base/random.h"
#include "runtime/config/configuration.h"
#include "runtime/program/child.h"
#include "runtime/program/compare.h"
#include "runtime/program/devices.h"
#include "runtime/program/structure.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pb::program {
namespace {

class Checker {
public:
  Checker(const Program &program, const Instance &instance, const CheckOptions &options)
      : program_(program), instance_(instance), options_(options), reference_(instance, &program),
        candidate_(instance, &program) {}

  int run() {
    if (const std::string found = structureViolation(instance_); !found.empty())
      throw base::UserError(found +
                            "; `unchecked` in the structure says nothing of cells that are not stored");
    const ChildResult r = reference_.start([&] { settings(nullptr, {}); }, options_.threads,
                                           options_.limit > 0 ? options_.limit : 3600);
    if (!r.failure.empty())
      throw base::UserError("the default choices do not work: " + r.failure);
    default_ = r.accuracy;
    limit_ = options_.limit > 0 ? options_.limit : 10 + 10 * r.seconds;
    const bool hasDevice = inChild([&] { return !availableDevices(program_).empty(); });
    for (int t = 0; t < program_.transformCount; ++t)
      for (int s = 0; s < program_.transforms[t]->siteCount; ++s) {
        const Site &site = program_.transforms[t]->sites[s];
        const bool isOpen = !site.needsDevice || hasDevice;
        without_ |= !isOpen && deviceNames() != "none";
        for (int a = 0; a < site.alternativeCount; ++a)
          if (isOpen || (site.versions && !site.isOnDevice(a)))
            checkOne(site, a);
      }
    if (without_)
      std::printf("where steps run is not compared: %s\n",
                  deviceNames() == "all" ? "this machine has no device"
                                         : ("there is no device '" + deviceNames() + "'").c_str());
    if (!count_)
      std::printf("the program has one way only to compute its outputs: there is nothing to compare\n");
    else if (failures_)
      std::printf("%d of %d alternatives do not compute the same\n", failures_, count_);
    else
      std::printf("all %d alternatives compute the same%s\n", count_,
                  byAccuracy_ ? " or are exact enough" : "");
    return failures_;
  }

private:
  void settings(const Site *site, const Selector &selector) const {
    config::applyDefaults(program_);
    base::seedThreads(options_.seed);
    if (site)
      *site->slot = selector;
    if (site && site->needsDevice)
      neverSequential();
  }

  /// Below the cut-off a transform uses no device.
  void neverSequential() const {
    for (int t = 0; t < program_.transformCount; ++t)
      for (int k = 0; k < program_.transforms[t]->tunableCount; ++k)
        if (const Tunable &u = program_.transforms[t]->tunables[k]; !std::strcmp(u.name, "sequential_cutoff"))
          *u.integerSlot = 0;
  }

  void checkOne(const Site &site, int alternative) {
    Selector everywhere;
    everywhere.use[0] = alternative;
    std::string from;
    ChildResult r = start(site, everywhere);
    if (r.recursionTooDeep) {
      Selector largest;
      largest.levels = 2;
      largest.below[0] = largestExtent(instance_) / 2 + 1;
      largest.use[1] = alternative;
      r = start(site, largest);
      from = " from size " + std::to_string(largest.below[0]) + " on";
    }
    ++count_;
    const std::string but = r.failure.empty() && !r.remark.empty() ? ", but " + r.remark : "";
    std::printf("%s: %s %s%s\n", site.name, site.alternatives[alternative].name, verdict(r, from).c_str(),
                but.c_str());
    std::fflush(stdout);
  }

  ChildResult start(const Site &site, const Selector &selector) {
    return candidate_.start([&] { settings(&site, selector); }, options_.threads, limit_);
  }

  std::string verdict(const ChildResult &r, const std::string &from) {
    if (!r.failure.empty()) {
      ++failures_;
      return r.failure;
    }
    size_t worst = 0;
    const Difference d = compareAll(candidate_.outputs(), reference_.outputs(), &worst);
    std::string text = "agrees" + from + " (max difference " + base::number(d.value, 6) + ")";
    if (d.agrees)
      return text;
    if (const Transform &t = *instance_.transform; t.better != Better::None) {
      byAccuracy_ = true;
      const bool asDefault = !default_.met && !r.accuracy.met && isAsExact(t, r.accuracy, default_);
      failures_ += !r.accuracy.met && !asDefault;
      return (r.accuracy.met || asDefault ? "agrees" : "disagrees") + from + ": accuracy " +
             print(t, r.accuracy) + (asDefault ? ", as the default" : "");
    }
    ++failures_;
    const MatrixInfo &info =
        instance_.transform->matrices[inputCount(*instance_.transform) + static_cast<int>(worst)];
    return "disagrees" + from + " (max difference " + base::number(d.value, 6) + " at " +
           print(d, info.name, candidate_.outputs()[worst].extents()) + ")";
  }

  const Program &program_;
  const Instance &instance_;
  const CheckOptions &options_;
  SharedRun reference_, candidate_;
  double limit_ = 0;
  int failures_ = 0, count_ = 0;
  bool without_ = false; // some site needs a device, and there is none
  Accuracy default_;
  bool byAccuracy_ = false; // some alternative was decided by its accuracy
};

} // namespace

int check(const Program &program, const Instance &instance, const CheckOptions &options) {
  return Checker(program, instance, options).run();
}

} // namespace pb::program
