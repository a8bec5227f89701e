/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* library: other */

/* What programs that were compiled earlier rely on. Whoever has to change a number here gives the interface another version
   (PBC_ABI_VERSION): libraries then refuse the programs of the one before (refusals.c, command_line.py), instead of reading their memory
   wrongly. */
#include <stddef.h>
#include "other.h"
#define MESSAGE pbc_other_message
#include "check.h"

#define AT(type, member, place) CHECK(offsetof(type, member) == (place))

static void arrays(void) {
  CHECK(sizeof(pbc_array) == 168 && PBC_MAX_RANK == 8);
  AT(pbc_array, data, 0); AT(pbc_array, element, 8); AT(pbc_array, rank, 12); AT(pbc_array, place, 16); AT(pbc_array, device, 20);
  AT(pbc_array, flags, 24); AT(pbc_array, reserved, 28); AT(pbc_array, extent, 32); AT(pbc_array, stride, 96); AT(pbc_array, owner, 160);
  CHECK(PBC_F64 == 1 && PBC_F32 == 2 && PBC_I32 == 3 && PBC_I64 == 4 && PBC_U8 == 5);
  CHECK(PBC_HOST == 1 && PBC_CUDA == 2 && PBC_OPENCL == 4 && PBC_FAKE == 12 && PBC_READ_ONLY == 1);
}

static void contexts(void) {
  CHECK(sizeof(pbc_options) == 64);
  AT(pbc_options, threads, 0); AT(pbc_options, reserved, 4); AT(pbc_options, configuration, 8); AT(pbc_options, say, 16);
  AT(pbc_options, user, 24); AT(pbc_options, devices, 32); AT(pbc_options, seed, 40); AT(pbc_options, more, 48);
  CHECK(PBC_OK == 0 && PBC_ERROR_VERSION == 1 && PBC_ERROR_CONTEXT == 2 && PBC_ERROR_ARGUMENT == 3 && PBC_ERROR_SIZE == 4);
  CHECK(PBC_ERROR_OVERLAP == 5 && PBC_ERROR_CONFIGURATION == 6 && PBC_ERROR_MEMORY == 7 && PBC_ERROR_RULE == 8);
  CHECK(PBC_ERROR_RECURSION == 9 && PBC_ERROR_ACCURACY == 10 && PBC_ERROR_DEVICE == 11 && PBC_ERROR_INTERNAL == 12);
}

/* The version of a library stands first, so that a program of any other version can read it. */
static void tables(void) {
  CHECK(sizeof(pbc_argument) == 32 && sizeof(pbc_function) == 64 && sizeof(pbc_library) == 88);
  AT(pbc_argument, name, 0); AT(pbc_argument, element, 8); AT(pbc_argument, rank, 12); AT(pbc_argument, is_output, 16);
  AT(pbc_argument, extents, 24);
  AT(pbc_function, name, 0); AT(pbc_function, symbol, 8); AT(pbc_function, doc, 16); AT(pbc_function, argument_count, 24);
  AT(pbc_function, size_count, 28); AT(pbc_function, target_count, 32); AT(pbc_function, arguments, 40); AT(pbc_function, sizes, 48);
  AT(pbc_function, targets, 56);
  AT(pbc_library, abi_version, 0); AT(pbc_library, function_count, 4); AT(pbc_library, name, 8); AT(pbc_library, program, 16);
  AT(pbc_library, compiler, 24); AT(pbc_library, functions, 32); AT(pbc_library, create, 40); AT(pbc_library, destroy, 48);
  AT(pbc_library, message, 56); AT(pbc_library, configuration, 64); AT(pbc_library, free, 72); AT(pbc_library, call, 80);
}

int main(void) {
  CHECK(PBC_ABI_VERSION == 1);
  CHECK(pbc_other_library()->abi_version == 1);
  arrays();
  contexts();
  tables();
  return 0;
}
