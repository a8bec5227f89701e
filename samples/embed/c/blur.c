/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Blurs a photograph by a program that is tuned when it is built and called many times.

     blur [IN.pgm|IN.ppm [BEFORE-AND-AFTER]]

   CMakeLists.txt says how to build it. Colours lie side by side in a .ppm file; each of them is an array with the stride 3. */
#include "convolution.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVIATION = 3, WEIGHTS = 6 * DEVIATION + 1, BORDER = WEIGHTS / 2, CALLS = 100 };

typedef struct picture {
  int width, height, colours; /* 1 colour: grey */
  unsigned char *pixels;      /* row by row, the colours of a pixel side by side */
} picture;

static void fail(const char *file, const char *why) {
  fprintf(stderr, "blur: %s: %s\n", file, why);
  exit(1);
}

static void *memory(size_t count, size_t size) {
  void *got = calloc(count, size);
  if (!got)
    fail("memory", "there is none left");
  return got;
}

static picture read_picture(const char *name) {
  FILE *file = fopen(name, "rb");
  picture p = {0, 0, 0, NULL};
  char kind = 0;
  int most = 0;
  if (!file)
    fail(name, "cannot be opened");
  if (fscanf(file, "P%c %d %d %d", &kind, &p.width, &p.height, &most) != 4 || (kind != '5' && kind != '6') || most != 255 || p.width < 1 ||
      p.height < 1 || p.width > 30000 || p.height > 30000)
    fail(name, "is no .pgm or .ppm file of bytes");
  fgetc(file); /* the end of the line */
  p.colours = kind == '5' ? 1 : 3;
  const size_t count = (size_t)p.width * p.height * p.colours;
  p.pixels = memory(count, 1);
  if (fread(p.pixels, 1, count, file) != count)
    fail(name, "ends too early");
  fclose(file);
  return p;
}

static void write_picture(const char *name, const picture *p) {
  const size_t count = (size_t)p->width * p->height * p->colours;
  FILE *file = fopen(name, "wb");
  if (!file)
    fail(name, "cannot be opened");
  const int isWritten = fprintf(file, "P%d\n%d %d\n255\n", p->colours == 1 ? 5 : 6, p->width, p->height) > 0 &&
                        fwrite(p->pixels, 1, count, file) == count;
  if (fclose(file) || !isWritten)
    fail(name, "cannot be written");
}

static int clamped(int at, int size) { return at < 0 ? 0 : at < size ? at : size - 1; }

/* The picture as numbers, with its edge repeated so that the result has the picture's size. */
static double *with_border(const picture *p) {
  const int w = p->width + 2 * BORDER, h = p->height + 2 * BORDER;
  double *cells = memory((size_t)w * h * p->colours, sizeof(double));
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int c = 0; c < p->colours; ++c) {
        const size_t from = (size_t)clamped(y - BORDER, p->height) * p->width + clamped(x - BORDER, p->width);
        cells[((size_t)y * w + x) * p->colours + c] = p->pixels[from * p->colours + c];
      }
  return cells;
}

/* One colour of pixels that lie row by row, w wide and h high. */
static pbc_array colour(double *cells, int w, int h, int colours, int which) {
  pbc_array a = pbc_array_2d(cells + which, PBC_F64, w, h);
  a.stride[0] = colours, a.stride[1] = (int64_t)colours * w;
  return a;
}

static picture before_and_after(const picture *before, const double *after) {
  const int line = before->width * before->colours;
  picture both = *before;
  both.width *= 2;
  both.pixels = memory((size_t)line * 2, both.height);
  for (int y = 0; y < both.height; ++y) {
    unsigned char *to = both.pixels + (size_t)y * line * 2;
    memcpy(to, before->pixels + (size_t)y * line, line);
    for (int i = 0; i < line; ++i)
      to[line + i] = (unsigned char)lround(after[(size_t)y * line + i]);
  }
  return both;
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  picture before = read_picture(argc > 1 ? argv[1] : "samples/data/dandelion.pgm");
  const char *target = argc > 2 ? argv[2] : before.colours == 1 ? "before-and-after.pgm" : "before-and-after.ppm";
  const int w = before.width, h = before.height, colours = before.colours;
  double *cells = with_border(&before), *after = memory((size_t)w * h * colours, sizeof(double));

  /* A Gaussian that reaches three deviations to each side. */
  double weights[WEIGHTS], sum = 0;
  for (int i = 0; i < WEIGHTS; ++i)
    sum += weights[i] = exp(-(double)(i - BORDER) * (i - BORDER) / (2 * DEVIATION * DEVIATION));
  for (int i = 0; i < WEIGHTS; ++i)
    weights[i] /= sum;

  pbc_context *context = NULL;
  int32_t status = pbc_convolution_create(NULL, &context);
  const double begin = seconds();
  const pbc_array kernel = pbc_array_1d(weights, PBC_F64, WEIGHTS);
  for (int call = 0; call < CALLS && !status; ++call)
    for (int c = 0; c < colours && !status; ++c) {
      const pbc_array in = colour(cells, w + 2 * BORDER, h + 2 * BORDER, colours, c);
      pbc_array out = colour(after, w, h, colours, c);
      status = pbc_convolution_SeparableConvolution(context, &in, &kernel, &out);
    }
  if (status)
    fail("convolution", pbc_convolution_message(context));
  printf("%d x %d pixels, %d weights: %.3f ms for one blur\n", w, h, WEIGHTS, (seconds() - begin) / CALLS * 1000);
  pbc_convolution_destroy(context);

  picture both = before_and_after(&before, after);
  write_picture(target, &both);
  printf("before and after: %s\n", target);
  free(both.pixels), free(after), free(cells), free(before.pixels);
  return 0;
}
