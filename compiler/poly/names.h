// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mangles names for isl, whose parser has keywords that a program may use as names.
//
//   mangle("n") == "n"      mangle("mod") == "mod_"      mangle("a$b") == "pb_u_a_24b"      mangle("old A") == "pb_old_A"
#pragma once
#include <string>
#include <vector>

namespace pbc::poly {

/// The name written with ASCII letters, digits and `_` only: C++ allows names with `$` and with letters of other
/// alphabets, but isl and the compilers of devices do not. The values of A before a call are called "old A". Injective.
std::string plain(const std::string &);
/// The name by which isl knows a size variable, coordinate or matrix. Injective.
std::string mangle(const std::string &);
/// The name that was mangled to this one.
std::string unmangle(const std::string &);
/// The name in messages; also for products of sizes: "h__w" as "h*w".
std::string displayed(const std::string &);

/// "a, b, c", as in a tuple.
std::string join(const std::vector<std::string> &parts, const char *separator = ", ");

} // namespace pbc::poly
