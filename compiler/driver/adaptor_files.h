// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The adaptors that there are: those of the standard library (stdlib/adaptors), and those of the user's files, which replace adaptors of
// the same name.
//
//   readAdaptors({".../triangular.adl", "own.adl"}, diagnostics)  =>  Triangular, Own
#pragma once
#include "compiler/script/adaptor.h"
#include "compiler/source/diagnostics.h"

namespace pbc::driver {

/// The paths of the library's adaptors, in order; none without that folder.
std::vector<std::string> standardAdaptors(const std::string &standardFolder);

/// Loads the library's files and those that --adaptors names. Throws Refusal if one of the latter cannot be read.
std::vector<source::FileId> loadAdaptors(source::SourceManager &, const std::vector<std::string> &paths,
                                         const std::string &standardFolder);

/// Those of all files, without those that have errors; later ones replace earlier ones. All of their steps may be in a script, or are uses
/// of other adaptors (compose/rules.h), and none uses itself.
std::vector<script::Adaptor> readAdaptors(const std::vector<source::FileId> &, source::Diagnostics &);

} // namespace pbc::driver
