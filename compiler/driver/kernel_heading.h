// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which kernel for devices it is, as data and in words; for all that `pbc explain --device` says of kernels.
//
//   {"name": "Blur.rows, local", "transform": "Blur", "step": "rows", "alternative": "Rows", "version": "local", "group": [32, 8, 1],
//    "index_bits": 32}
#pragma once
#include "compiler/emit/device_texts.h"
#include <nlohmann/json.hpp>
#include <string>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

Json heading(const emit::DeviceSource &);
/// In words, from such a heading: "Blur.rows, local, groups of 32 x 8 x 1, built for k = 9".
std::string title(const Json &kernel);
/// Where the kernel has an "error", or is "left_out": "Blur.rows, local: left out: ...\n". "" for others.
std::string notBuilt(const Json &kernel);
/// Why programs build no such kernel; "" if they do.
std::string whyNotBuilt(const emit::DeviceSource &);
/// Where alternatives have different kernels for a step, the names say which alternative it is.
void tellApart(Json &kernels);

} // namespace pbc::driver
