// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a body can become a coroutine, which is suspended at its calls of transforms. Only for
// clang_tree.cpp: it shows Clang's types.
#pragma once

namespace clang {
class FunctionDecl;
}

namespace pbc::body {

/// False for bodies with arrays of variable length or alloca, whose memory a coroutine's frame cannot hold.
bool isResumable(const clang::FunctionDecl &);

} // namespace pbc::body
