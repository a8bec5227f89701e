// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc config check|diff|explain`: commands about configurations that run no transform.
//
//   pbc config check sort.cfg --for=./sort      ->  each entry; status 1 if one needs attention
//   pbc config diff old.cfg new.cfg             ->  which choice differs at which sizes
//   pbc config explain sort.cfg --for=./sort    ->  the poly-algorithm in words
#pragma once

namespace pbc::tuner {

/// argv[0] is "config"; returns the exit status.
int configCommand(int argc, char **argv);

} // namespace pbc::tuner
