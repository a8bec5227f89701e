// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `memoized` transforms: the last call of each is remembered, and a call with the same inputs gets its
// outputs.
//
//   static pb::Memo memo;
//   pb::MemoCall call(&memo, inputs, 2, outputs, 1);     // copies the inputs: the call may overwrite them
//   if (!call.isKnown()) { ...; call.remember(); }
//
// Inputs are the same if they have the same extents and the same bytes. Any number of threads may ask at
// once.
#pragma once
#include "plan.h"

namespace pb {

struct Memo {
  void *last = nullptr; // owned by the runtime
  Memo *next = nullptr; // of the same context, among those that remember something
};

extern "C" {
/// Whether the last call in this run had these inputs and outputs of these extents; if so, the outputs are
/// filled and *call is null. If not, *call is the handle for pb_memo_remember.
bool pb_memo_find(Memo *, const RegionShape *inputs, int inputCount, const RegionShape *outputs,
                  int outputCount, void **call);
/// Remembers the call, after it has filled its outputs.
void pb_memo_remember(Memo *, void *call);
}

class MemoCall {
public:
  MemoCall(Memo *memo, const RegionShape *inputs, int inputCount, const RegionShape *outputs, int outputCount)
      : memo_(memo), isKnown_(pb_memo_find(memo, inputs, inputCount, outputs, outputCount, &call_)) {}
  bool isKnown() const { return isKnown_; }
  void remember() { pb_memo_remember(memo_, call_); }

private:
  Memo *memo_;
  void *call_ = nullptr;
  bool isKnown_;
};

} // namespace pb
