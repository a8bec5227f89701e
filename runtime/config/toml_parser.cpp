// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of toml++ that return failures are compiled here, once: in the other files its headers only declare
// them (TOML_HEADER_ONLY=0, cmake/PbcOptions.cmake). The tuner has those that throw (tuner/space/toml_parser.cpp).
#define TOML_EXCEPTIONS 0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
