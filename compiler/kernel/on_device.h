// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which versions of a kernel a device can run, or why it can run none.
//
//   lifted kernel of a 3-point stencil  =>  items (x); the scripts of its versions "global" and "local"; A and B as boxes
//
// Everything about devices that the emitter needs is decided here; the emitter only prints. Source:
// petabricks-hetero 4, the three phases.
#pragma once
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/item_parts.h"
#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/touched_cells.h"
#include <functional>
#include <memory>

namespace pbc::kernel {

struct OnDevice {
  std::optional<Items> items;
  std::vector<DeviceVersion> versions; // that scripts make
  std::vector<ItemPart> parts;         // launches of their own where these have far fewer items
  std::vector<Touched> touched; // what a part of the points touches; without `shared` possibly everything
  std::optional<Cooperation> cooperation; // of the items of a group, on one cell
  std::string why, whyNoCooperation;      // one sentence for each version that is missing
  std::string
      whyNoRows; // the same, if the loop of a sum reads rows of the result and these are not computed in blocks
  source::Span whyAt;   // the code in a body that `why` is about, if any
  int libraryRule = -1; // the rule that is replaced by a library function; then there are no versions
  /// The version of this name; null if there is none.
  const DeviceVersion *version(std::string_view name) const;
  bool isPossible() const { return items || libraryRule >= 0; }
  int shared = -1, sharedInTasks = -1; // a function along which device and processor can share the points
};

/// The same, found out when it is first asked for: what comes before that can already be compiled meanwhile.
class LaterOnDevice {
public:
  LaterOnDevice(std::nullptr_t = nullptr) {} // nothing is made for devices
  explicit LaterOnDevice(std::function<OnDevice()> find)
      : shared_(std::make_shared<Shared>(Shared{std::move(find), std::nullopt})) {}

  explicit operator bool() const { return shared_ != nullptr; }
  OnDevice &operator*() const { return *get(); }
  OnDevice *operator->() const { return get(); }
  /// The same one for all copies; null if nothing is made for devices.
  OnDevice *get() const;

private:
  struct Shared {
    std::function<OnDevice()> find;
    std::optional<OnDevice> found;
  };
  std::shared_ptr<Shared> shared_;
};

/// `lifted` is the kernel before, `scheduled` after the processor's schedule was made. If a budget is
/// exceeded, there is no version.
OnDevice onDevice(const Scheduled &lifted, const Scheduled &scheduled, const poly::Context &);

} // namespace pbc::kernel
