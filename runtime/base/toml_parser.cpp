// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of toml++ are compiled here, once. Everywhere else its headers only declare them
// (TOML_HEADER_ONLY=0, cmake/PbcOptions.cmake).
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
