// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts objects and the runtime into one static library.
//
//   LinkResult r = archive({.output = "libmm.a", .inputs = {{"Smooth.o", bytes}, {"program.o", bytes}}}, files);
//
// The members of the runtime's archive follow the objects as they are, so that two such libraries can be linked into one
// program: it gets one runtime. Libraries that the code needs beside it cannot be part of an archive.
#pragma once
#include "compiler/build/link.h"

namespace pbc::build {

/// Takes the same request as link(); the file gets its name when `files` are committed.
LinkResult archive(const LinkRequest &, pb::base::PendingFiles &files);

} // namespace pbc::build
