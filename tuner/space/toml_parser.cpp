// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of toml++ that throw are compiled here, once: in the other files its headers only declare them
// (TOML_HEADER_ONLY=0, cmake/PbcOptions.cmake). Programs have those that return failures (runtime/config/toml_parser.cpp).
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
