// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An NVRTC for tests, of version PB_TEST_NVRTC. It knows architectures up to 90, and its machine code is text
// that says which version made it. A kernel that contains "since N" needs version N.
#include <cstddef>
#include <cstring>
#include <string>

struct _nvrtcProgram {
  std::string text, log, code;
};
using Program = _nvrtcProgram *;

namespace {

int give(const std::string &text, char *to) { return std::memcpy(to, text.c_str(), text.size() + 1), 0; }

} // namespace

extern "C" {

int nvrtcVersion(int *major, int *minor) { return *major = PB_TEST_NVRTC, *minor = 4, 0; }
int nvrtcGetNumSupportedArchs(int *n) { return *n = 2, 0; }
int nvrtcGetSupportedArchs(int *all) { return all[0] = 80, all[1] = 90, 0; }
int nvrtcCreateProgram(Program *p, const char *text, const char *, int, const char *const *,
                       const char *const *) {
  return *p = new _nvrtcProgram{text, "", ""}, 0;
}
int nvrtcDestroyProgram(Program *p) { return delete *p, 0; }
int nvrtcCompileProgram(Program p, int, const char *const *) {
  if (const std::size_t since = p->text.find("since ");
      since != std::string::npos && std::stoi(p->text.substr(since + 6)) > PB_TEST_NVRTC)
    return p->log = "error: this compiler is too old", 6;
  return p->code = "\177ELF by " + std::to_string(PB_TEST_NVRTC), 0;
}
int nvrtcGetProgramLogSize(Program p, std::size_t *n) { return *n = p->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program p, char *to) { return give(p->log, to); }
int nvrtcGetCUBINSize(Program p, std::size_t *n) { return *n = p->code.size() + 1, 0; }
int nvrtcGetCUBIN(Program p, char *to) { return give(p->code, to); }
int nvrtcGetPTXSize(Program p, std::size_t *n) { return *n = p->code.size() + 1, 0; }
int nvrtcGetPTX(Program p, char *to) { return give(p->code, to); }
}
