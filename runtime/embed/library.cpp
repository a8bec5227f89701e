// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of runtime/abi/library.h: what C calls ends here.
#include "runtime/abi/library.h"
#include "runtime/base/errors.h"
#include "runtime/base/pending_files.h"
#include "runtime/embed/array_texts.h"
#include "runtime/embed/call.h"
#include "runtime/embed/context.h"
#include "runtime/embed/refusal.h"
#include <new>
#include <utility>

namespace pb {
namespace {

/// What the runtime would print goes to the context in which the thread works.
void sayInContext(const std::string &text) {
  if (const auto *context = static_cast<const pbc_context *>(pb_execution->owner))
    context->say(text);
}

void requireVersion(const Library &library, int abiVersion) {
  const auto refuse = [](const std::string &what) { throw embed::Refusal(PBC_ERROR_VERSION, what); };
  if (abiVersion != PBC_ABI_VERSION)
    refuse("the caller was compiled for version " + std::to_string(abiVersion) +
           " of the interface, and the library " + library.about->name + " has version " +
           std::to_string(PBC_ABI_VERSION) +
           ": compile the caller with the header that came with the library");
  if (library.versions->abiVersion != kAbiVersion)
    refuse("the library " + std::string(library.about->name) + " was compiled for runtime interface " +
           std::to_string(library.versions->abiVersion) + ", and linked with " + std::to_string(kAbiVersion) +
           ": compile the library again");
}

} // namespace

extern "C" {

int pb_library_create(const Library *library, int abiVersion, const pbc_options *options, pbc_context **out) {
  if (!out)
    return PBC_ERROR_ARGUMENT;
  *out = nullptr;
  base::throwFailures(sayInContext);
  base::leaveSignals();
  pbc_context *made = nullptr;
  try {
    made = new pbc_context(*library);
  } catch (const std::bad_alloc &) {
    return PBC_ERROR_MEMORY;
  }
  *out = made;
  const int status = made->attempt([&] {
    requireVersion(*library, abiVersion);
    made->configure(options ? *options : pbc_options{});
  });
  made->refuse(status);
  return status;
}

void pb_library_destroy(const Library *library, pbc_context *context) {
  if (context && context->library == library)
    delete context;
}

const char *pb_library_message(const Library *library, pbc_context *context) {
  if (!context)
    return "there is no context";
  if (context->library != library)
    return "the context belongs to another library";
  return context->message();
}

const char *pb_library_configuration(const Library *library, pbc_context *context) {
  if (!context || context->library != library)
    return nullptr;
  const char *text = nullptr;
  context->attempt([&] { text = context->configuration(); });
  return text;
}

void pb_library_free(pbc_array *array) {
  if (!array)
    return;
  if (auto *const owner = static_cast<Storage *>(std::exchange(array->owner, nullptr)))
    pb_storage_release(owner);
  *array = pbc_array_wanted();
}

int pb_library_call(const Library *library, pbc_context *context, int function, pbc_array *const *arrays,
                    const int64_t *sizes, double accuracy) {
  if (!context || context->library != library) [[unlikely]]
    return PBC_ERROR_CONTEXT;
  return context->attempt([&] { embed::call(*context, function, arrays, sizes, accuracy); });
}
}

} // namespace pb
