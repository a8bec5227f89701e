// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/kernel_heading.h"
#include <fmt/format.h>

namespace pbc::driver {

Json heading(const emit::DeviceSource &kernel) {
  Json out = {{"name", fmt::format("{}.{}, {}", kernel.transform, kernel.step, kernel.version)},
              {"transform", kernel.transform},
              {"step", kernel.step},
              {"alternative", kernel.alternative},
              {"version", kernel.version},
              {"group", kernel.source.group},
              {"index_bits", kernel.indexBits}};
  for (const emit::DeviceSource::Size &s : kernel.sizes)
    out["sizes"][s.name] = s.value;
  return out;
}

std::string title(const Json &kernel) {
  const Json &group = kernel["group"];
  std::string out = fmt::format("{}, groups of {} x {} x {}", kernel["name"].get<std::string>(),
                                group[0].get<int>(), group[1].get<int>(), group[2].get<int>());
  if (kernel.contains("sizes")) {
    std::string all;
    for (const auto &[size, value] : kernel["sizes"].items())
      all += fmt::format("{}{} = {}", all.empty() ? ", built for " : ", ", size, value.get<long>());
    out += all;
  }
  return out;
}

std::string notBuilt(const Json &kernel) {
  const std::string name = kernel["name"].get<std::string>();
  if (kernel.contains("error"))
    return fmt::format("{}: {}\n", name, kernel["error"].get<std::string>());
  if (kernel.contains("left_out"))
    return fmt::format("{}: left out: {}\n", name, kernel["left_out"].get<std::string>());
  return "";
}

std::string whyNotBuilt(const emit::DeviceSource &kernel) {
  for (const auto &[size, value, least] : kernel.sizes)
    if (value < least || value > emit::mostSizeOfBuild())
      return fmt::format(
          "programs build it for each {} from {} to {}, and it is {}; they take the simplest version instead",
          size, least, emit::mostSizeOfBuild(), value);
  return "";
}

void tellApart(Json &kernels) {
  std::map<std::string, int> uses;
  for (const Json &kernel : kernels)
    ++uses[kernel["name"].get<std::string>()];
  for (Json &kernel : kernels)
    if (const auto name = kernel["name"].get<std::string>(); uses.at(name) > 1)
      kernel["name"] = fmt::format("{} of {}", name, kernel["alternative"].get<std::string>());
}

} // namespace pbc::driver
