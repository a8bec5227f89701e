// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rewrites calls of copies so that C++ can parse them.
//
//   Name<k, 2*m>(out, in)      =>   Name(k, 2*m,  out, in)
//   SPAWN(Name<k>, out, in)    =>   SPAWN(Name,k , out, in)
//
// The second form is the older syntax of the language, and a plain call of C++. Every byte keeps its
// position, so messages still refer to the user's text. Comments, strings and other names are left unchanged.
// Source: language reference 1.4 (template), 1.6.
#pragma once
#include "compiler/source/diagnostics.h"
#include <map>

namespace pbc::sema {

/// `takesArguments`: for each transform, whether it has copies or accuracy bins. Arguments for others are
/// errors.
void plainCalls(source::MappedText &body, const std::map<std::string, bool> &takesArguments,
                source::Diagnostics &);

} // namespace pbc::sema
