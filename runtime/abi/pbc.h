/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What all libraries that `pbc --shared` or `pbc --static` makes have in common. The header that is made for a library
   begins with this text, so that it needs no other file. It is C99 and C++.

     double x[3] = {1, 2, 3}, y[3];
     pbc_array X = pbc_array_1d(x, PBC_F64, 3), Y = pbc_array_1d(y, PBC_F64, 3);
     pbc_context *context;
     if (pbc_mm_create(NULL, &context) || pbc_mm_Smooth(context, &X, &Y))
       puts(pbc_mm_message(context));
     pbc_mm_destroy(context);

   A context has its own worker threads and its own configuration. Any number of them may exist at once, and any number
   of threads may call the functions of a library with one context at once; only pbc_NAME_destroy() needs that no call
   with that context is under way. A function returns PBC_OK or why it failed; it writes nothing to a terminal, ends no
   process and handles no signal. After fork() a child process has no workers: it must make contexts of its own.

   Coordinates are those of the language: dimension 0 is x. A matrix M[w, h] that lies in a C array `double m[h][w]`, row
   by row, has the extents {w, h} and the strides {1, w}, in elements. */
#ifndef PBC_H
#define PBC_H

#include <stdint.h>

#define PBC_ABI_VERSION 1
#define PBC_MAX_RANK 8

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. pbc_NAME_message() says it in words. */
enum {
  PBC_OK = 0,
  PBC_ERROR_VERSION = 1,  /* the library speaks another version of this interface than the caller */
  PBC_ERROR_CONTEXT = 2,  /* no context, or that of another library */
  PBC_ERROR_ARGUMENT = 3, /* an array of a wrong rank, type or place, without memory, or not to be written */
  PBC_ERROR_SIZE = 4,     /* sizes that do not fit together */
  PBC_ERROR_OVERLAP = 5,  /* outputs that share cells */
  PBC_ERROR_CONFIGURATION = 6, /* a configuration that cannot be read or does not fit the program */
  PBC_ERROR_MEMORY = 7,        /* memory or threads are short */
  PBC_ERROR_RULE = 8,      /* a rule failed: it threw an exception, gave up, or an assertion does not hold */
  PBC_ERROR_RECURSION = 9, /* a transform calls itself without end */
  PBC_ERROR_ACCURACY = 10, /* no accuracy target is as high as the one that is asked for */
  PBC_ERROR_DEVICE = 11,   /* an array on a device that the context does not have */
  PBC_ERROR_INTERNAL = 12  /* a fault of pbc */
};

/* Types of elements. */
enum { PBC_F64 = 1, PBC_F32 = 2, PBC_I32 = 3, PBC_I64 = 4, PBC_U8 = 5 };

/* Where the memory of an array is; the numbers are those of DLPack. PBC_FAKE is a device for tests, whose memory is the processor's. */
enum { PBC_HOST = 1, PBC_CUDA = 2, PBC_OPENCL = 4, PBC_FAKE = 12 };

/* Flags of arrays. */
enum { PBC_READ_ONLY = 1 };

/* A view of memory. The cell at (i, j, ...) is element i * stride[0] + j * stride[1] + ... behind `data`. Strides may
   be negative, and those of inputs zero; cells are never copied to make them contiguous, except where a rule's body
   asks for the address of its memory. Memory must stay where it is, and nothing else may write to it, until the
   function has returned. An output may share cells with inputs; these are then read as they were at the call.
   An output that is all zeros asks for memory: the function fills it in, and pbc_NAME_free() takes it back.
   An array on a device of the context is used where it lies by steps that run there, and copied for those that run elsewhere. `data` is its
   address there. What the caller has given to the device before is waited for if CUDA's default stream waits for it; when the function
   returns, the results are there. */
typedef struct pbc_array {
  void *data;
  int32_t element;   /* PBC_F64, ... */
  int32_t rank;      /* the number of dimensions */
  int32_t place;     /* PBC_HOST, ... */
  int32_t device;    /* which device, where the place has several */
  uint32_t flags;    /* PBC_READ_ONLY or 0 */
  uint32_t reserved; /* 0 */
  int64_t extent[PBC_MAX_RANK];
  int64_t stride[PBC_MAX_RANK]; /* in elements */
  void *owner;                  /* set by a function that allocated the memory, else null */
} pbc_array;

/* How a context is made. All zeros are the defaults. */
typedef struct pbc_options {
  int32_t threads;  /* worker threads; 0: as many as the configuration says, or the machine has processors */
  int32_t reserved; /* 0 */
  const char *configuration; /* a file; null: PROGRAM.cfg beside the library, if there is one; "": none */
  /* Gets warnings and what rules report, as lines without an end of line; null: they are dropped. It is called by any
     thread that works for the context, and must not call the library. */
  void (*say)(void *user, const char *text);
  void *user;
  /* Which devices steps may run on, if the configuration places some there, and arrays may lie on: "cuda:0" or "opencl,cuda"; "none";
     null: those that PB_DEVICES in the environment names, or all, if the configuration places steps on devices. */
  const char *devices;
  /* Of the random numbers that rules draw, as --seed of programs; 0: 1. In contexts with the same seed, the first thread that draws some
     gets the same numbers, call by call, the second thread others. */
  uint64_t seed;
  void *more[2]; /* null */
} pbc_options;

typedef struct pbc_context pbc_context;

/* What a library says of itself, for programs that find its functions when they run. */
typedef struct pbc_argument {
  const char *name;
  int32_t element, rank;
  int32_t
      is_output; /* 0: an input; 1: an output; 2: an output that the function updates, so that it is an input, too */
  const char *extents; /* as the program has them, "[w, h]" */
} pbc_argument;

typedef struct pbc_function {
  const char *name;   /* as the program has it, "Sort<2>" */
  const char *symbol; /* the name of the C function, "pbc_mm_Sort_2" */
  const char *doc;    /* the comment in front of the transform, or "" */
  int32_t argument_count, size_count, target_count;
  const pbc_argument *arguments; /* inputs, then outputs */
  const char *const *sizes;      /* the names of the sizes that a call must give */
  const double *targets;         /* accuracy targets, the least accurate one first */
} pbc_function;

typedef struct pbc_library {
  int32_t abi_version; /* PBC_ABI_VERSION of the library */
  int32_t function_count;
  const char *name, *program, *compiler;
  const pbc_function *functions;
  int32_t (*create)(int32_t abi_version, const pbc_options *, pbc_context **);
  void (*destroy)(pbc_context *);
  const char *(*message)(pbc_context *);
  const char *(*configuration)(pbc_context *);
  void (*free)(pbc_array *);
  /* `arrays`: as in pbc_function::arguments; a number is an array of rank 0. */
  int32_t (*call)(pbc_context *, int32_t function, pbc_array *const *arrays, const int64_t *sizes,
                  double accuracy);
} pbc_library;

/* Arrays without gaps, x contiguous. */
static inline pbc_array pbc_array_3d(void *data, int32_t element, int64_t w, int64_t h, int64_t d) {
  pbc_array a = {0, 0, 0, 0, 0, 0, 0, {0}, {0}, 0};
  a.data = data, a.element = element, a.rank = 3, a.place = PBC_HOST;
  a.extent[0] = w, a.extent[1] = h, a.extent[2] = d;
  a.stride[0] = 1, a.stride[1] = w, a.stride[2] = w * h;
  return a;
}
static inline pbc_array pbc_array_2d(void *data, int32_t element, int64_t w, int64_t h) {
  pbc_array a = pbc_array_3d(data, element, w, h, 0);
  a.rank = 2, a.stride[2] = 0;
  return a;
}
static inline pbc_array pbc_array_1d(void *data, int32_t element, int64_t n) {
  pbc_array a = pbc_array_2d(data, element, n, 0);
  a.rank = 1, a.stride[1] = 0;
  return a;
}
/* A request for memory, as an output. */
static inline pbc_array pbc_array_wanted(void) {
  pbc_array a = pbc_array_1d(0, 0, 0);
  a.rank = 0, a.place = 0, a.stride[0] = 0;
  return a;
}

#ifdef __cplusplus
}
#endif
#elif !defined(PBC_ABI_VERSION) || PBC_ABI_VERSION != 1
#error "headers of libraries that speak different versions of the interface cannot be included together"
#endif
