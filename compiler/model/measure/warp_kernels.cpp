// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/warp_kernels.h"
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr int kOperations = 256; // in a turn of the loop: its counter then takes about a hundredth
constexpr int kBarriers = 32;

/// How a kernel of one unit differs from the others.
struct Form {
  std::string type;       // of a chain's value
  std::string parameters; // after the first four
  std::string before;     // in front of the chains
  std::string
      first; // the value of chain {c}: another one for each item, or one instruction would do for a whole warp
  std::string operation; // on {x}; {k} is a number of its own
  int perOperation = 1;  // instructions of the operation
};

/// One instruction on a value, as PTX, as OpenCL C, and as C++.
std::string only(const char *name, const char *ptx, const char *openCl, const char *other) {
  return fmt::format(
      "#if defined(__CUDACC__)\n#define {0}(x) {1}\n#elif defined(__OPENCL_VERSION__)\n#define {0}(x) {2}\n"
      "#else\n#define {0}(x) {3}\n#endif\n",
      name, ptx, openCl, other);
}

std::string preparation(WarpUnit unit) {
  const char *const follow = "x = *(PB_GLOBAL unsigned long *)x";
  switch (unit) {
  case WarpUnit::Special:
    return only("PB_ONE", "asm volatile(\"rsqrt.approx.ftz.f32 %0, %0;\" : \"+f\"(x))", "x = native_rsqrt(x)",
                "x = 1.0f / sqrtf(x)");
  case WarpUnit::L1:
    return only("PB_ONE", "asm volatile(\"ld.global.ca.u64 %0, [%0];\" : \"+l\"(x))", follow, follow);
  case WarpUnit::L2:
  case WarpUnit::Dram:
    return only("PB_ONE", "asm volatile(\"ld.global.cg.u64 %0, [%0];\" : \"+l\"(x))", follow, follow);
  case WarpUnit::Shared:
    return only("PB_ONE", "asm volatile(\"ld.shared.u32 %0, [%0];\" : \"+r\"(x))", "x = t[x]", "x = t[x]") +
           only("PB_AT", "((unsigned)__cvta_generic_to_shared(&t[x]))", "(x)", "(x)");
  default:
    return "";
  }
}

Form formOf(WarpUnit unit) {
  switch (unit) {
  case WarpUnit::F32:
    return {"float", "", "const float y = (float)one, z = (float)(one - 1);",
            "y + z * (float)({c} + PB_LOCAL_ID(0))", "{x} = fmaf({x}, y, z);"};
  case WarpUnit::F64:
    return {"double", "", "const double y = (double)one, z = (double)(one - 1);",
            "y + z * (double)({c} + PB_LOCAL_ID(0))", "{x} = fma({x}, y, z);"};
  case WarpUnit::Integer:
    return {"unsigned",
            "",
            "const unsigned y = (unsigned)one * 77777u, z = (unsigned)one * 55555u;",
            "(y + {c}u) * z + (unsigned)PB_LOCAL_ID(0)",
            "{x} = ({x} ^ y) + z;",
            2};
  case WarpUnit::Special:
    return {"float", "", "const float y = (float)one, z = (float)(one - 1);",
            "y + z * (float)({c} + PB_LOCAL_ID(0))", "PB_ONE({x});"};
  case WarpUnit::Shuffle:
    return {"float", "", "const float y = (float)one;", "y * (float)({c} + PB_LOCAL_ID(0))",
            "PB_SHUFFLE(float, {x}_{k}, {x}, 1); {x} = {x}_{k};"};
  case WarpUnit::Shared:
    return {"unsigned", ", long apart",
            "for (unsigned x = (unsigned)PB_LOCAL_ID(0); x < 1024u; x += PB_G0) t[x] = PB_AT(x);\n  "
            "PB_BARRIER();\n"
            "  const unsigned lane = (unsigned)PB_LOCAL_ID(0) % 32u;",
            "t[((lane + {c}) * (unsigned)apart) % 1024u]", "PB_ONE({x});"};
  case WarpUnit::Barrier:
    return {"float", "", "const float y = (float)one;", "y + {c}", "PB_BARRIER();"};
  case WarpUnit::Start:
  case WarpUnit::Lines:
    break;
  case WarpUnit::L1:
  case WarpUnit::L2:
  case WarpUnit::Dram:
    return {
        "unsigned long", ", long first, long between, long mask, long apart",
        "const long row = first + PB_GROUP_ID(0) * (active / 32 > 1 ? active / 32 : 1) + PB_LOCAL_ID(0) / 32 "
        "+ PB_LOCAL_ID(0) % 32 * apart;",
        "(unsigned long)(a + ((row + {c} * between) & mask) * 32 + PB_LOCAL_ID(0) % 32)", "PB_ONE({x});"};
  }
  return {};
}

} // namespace

WarpKernel warpKernel(WarpUnit unit, int chains) {
  const Form form = formOf(unit);
  WarpKernel made;
  made.isPartial = unit != WarpUnit::Shuffle && unit != WarpUnit::Barrier;
  const int statements = unit == WarpUnit::Barrier ? kBarriers : kOperations / form.perOperation;
  made.operations = statements / chains * form.perOperation;
  std::string &text = made.text;
  text = preparation(unit);
  text += fmt::format("PB_KERNEL({})(PB_GLOBAL unsigned long *a, PB_GLOBAL unsigned long *out, long one, "
                      "long active, long steps{})\n{{\n",
                      kWarpEntry, form.parameters);
  if (unit == WarpUnit::Shared)
    text += "  PB_LOCAL_ARRAYS\n  PB_LOCAL_ARRAY(unsigned, t, 1024);\n";
  text += fmt::format("  PB_BEGIN\n  {}\n", form.before);
  if (made.isPartial)
    text += "  if (PB_LOCAL_ID(0) < active) {\n";
  for (int c = 0; c < chains; ++c)
    text += fmt::format("  {} x{} = {};\n", form.type, c,
                        fmt::format(fmt::runtime(form.first), fmt::arg("c", c)));
  // Written out once more, a short loop would take another time.
  text += "#ifdef __CUDACC__\n#pragma unroll 1\n#endif\n  for (int s = 0; s < (int)steps; ++s) {\n";
  for (int k = 0; k < statements; ++k)
    text += fmt::format(fmt::runtime("    " + form.operation + "\n"),
                        fmt::arg("x", fmt::format("x{}", k % chains)), fmt::arg("k", k));
  text += "  }\n  out[PB_ID(0)] = (unsigned long)(x0";
  for (int c = 1; c < chains; ++c)
    text += fmt::format(" + x{}", c);
  text += fmt::format(");\n{}  PB_END\n}}\n", made.isPartial ? "  }\n" : "");
  return made;
}

std::string warpStartKernel() {
  return fmt::format("PB_KERNEL({})(PB_GLOBAL unsigned long *a, long never)\n{{\n  PB_BEGIN\n  if (never != "
                     "0) a[PB_ID(0)] = 1;\n"
                     "  PB_END\n}}\n",
                     kWarpStartEntry);
}

std::string warpWayKernel() {
  return fmt::format(R"(
PB_KERNEL({})(PB_GLOBAL unsigned long *a, long factor, long step, long mask)
{{
  PB_BEGIN
  const long row = PB_ID(0) / 32;
  a[PB_ID(0)] = (unsigned long)(a + ((row * factor + step) & mask) * 32 + PB_ID(0) % 32);
  PB_END
}}
)",
                     kWarpWayEntry);
}

} // namespace pbc::model
