// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of NVIDIA's management library that energy_meter.cpp uses.
#include <cstring>

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  static int devices[2];
  *device = &devices[index];
  devices[index] = static_cast<int>(index);
  return 0;
}

int nvmlDeviceGetName(void *, char *text, unsigned length) {
  std::strncpy(text, "NVIDIA Fake", length);
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
  static unsigned long long counter = 1000;
  if (*static_cast<int *>(device) == 0)
    return 3; // NVML_ERROR_NOT_SUPPORTED
  *millijoules = counter += 250;
  return 0;
}
}
