// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// steps.pbcc by hand: an OpenCL host program with the same kernels, in-order queue, one wait at the end.
//   by_hand one|chain N [SAMPLES]  =>  "time: X s", the median
// No kernel may be called `step`: that is a function of OpenCL C, and PoCL calls itself.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const char *const kText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void copy(__global const double *a, long from, __global double *b, long to, long low, long high) {
  const long i = low + get_global_id(0);
  if (i < high) b[to + i] = a[from + i];
}
__kernel void once(__global const double *a, long from, __global double *b, long to, long low, long high) {
  const long i = low + get_global_id(0);
  if (i < high) b[to + i] = a[from + i] * 0.5 + 1;
}
__kernel void turn(__global const double *a, long from, __global double *b, long to, long low, long high) {
  const long i = low + get_global_id(0);
  if (i < high) b[to + i] = a[from + high - 1 - i] * 0.5 + 1;
}
)";

static void check(cl_int status) {
  if (status != CL_SUCCESS) {
    std::fprintf(stderr, "by_hand: OpenCL error %d\n", status);
    std::exit(1);
  }
}

int main(int argc, char **argv) {
  const bool isChain = argc > 1 && std::strcmp(argv[1], "chain") == 0;
  const long n = argc > 2 ? std::atol(argv[2]) : 1024;
  const int samples = argc > 3 ? std::atoi(argv[3]) : 0;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, nullptr));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status);
  const char *text = kText;
  cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  check(status);
  check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr));
  cl_kernel copy = clCreateKernel(program, "copy", &status), once = clCreateKernel(program, "once", &status),
            turn = clCreateKernel(program, "turn", &status);
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(double), group = 64,
                    items = (static_cast<std::size_t>(n) + group - 1) / group * group;
  cl_bool shares = CL_FALSE; // then nothing is copied
  check(clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shares, &shares, nullptr));
  const auto buffer = [&](std::size_t size, void *host) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (host && shares ? CL_MEM_USE_HOST_PTR : 0);
    cl_mem m = clCreateBuffer(context, flags, size, host && shares ? host : nullptr, &status);
    check(status);
    return m;
  };
  const auto memory = [&] {
    auto *p = static_cast<double *>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
    std::fill_n(p, n, 0.5);
    return p;
  };
  double *const a = memory(), *const b = memory();
  cl_mem in = buffer(bytes, a), out = buffer(bytes, b),
         steps = isChain ? buffer(101 * bytes, nullptr) : nullptr;
  const auto launch = [&](cl_kernel k, cl_mem from, long fromAt, cl_mem to, long toAt) {
    const long low = 0;
    clSetKernelArg(k, 0, sizeof from, &from), clSetKernelArg(k, 1, sizeof fromAt, &fromAt);
    clSetKernelArg(k, 2, sizeof to, &to), clSetKernelArg(k, 3, sizeof toAt, &toAt);
    clSetKernelArg(k, 4, sizeof low, &low), clSetKernelArg(k, 5, sizeof n, &n);
    check(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &items, &group, 0, nullptr, nullptr));
  };
  const auto run = [&] {
    if (!shares)
      check(clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, bytes, a, 0, nullptr, nullptr));
    if (!isChain) {
      launch(once, in, 0, out, 0);
    } else {
      launch(copy, in, 0, steps, 0);
      for (long t = 1; t <= 100; ++t)
        launch(turn, steps, (t - 1) * n, steps, t * n);
      launch(copy, steps, 100 * n, out, 0);
    }
    if (!shares)
      check(clEnqueueReadBuffer(queue, out, CL_FALSE, 0, bytes, b, 0, nullptr, nullptr));
    check(clFinish(queue));
  };
  run();
  std::vector<double> times;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto begin = now();
  while (samples ? static_cast<int>(times.size()) < samples
                 : times.size() < 3 || now() - begin < std::chrono::milliseconds(500)) {
    const auto start = now();
    run();
    times.push_back(std::chrono::duration<double>(now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  std::printf("time: %.9f s\n", times[times.size() / 2]);
  std::fflush(stdout);
  std::_Exit(0); // PoCL's threads may still run while statics are destroyed
}
