// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The convolutions of convolution.pbcc by OpenCV's sepFilter2D and filter2D.
//
//   opencv Separable|Direct K WIDTH HEIGHT THREADS
//   => "time: SECONDS s", the median
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  const bool separable = std::string(argv[1]) == "Separable";
  const int k = std::atoi(argv[2]), w = std::atoi(argv[3]), h = std::atoi(argv[4]);
  cv::setNumThreads(std::atoi(argv[5]));
  cv::Mat image(h, w, CV_32F), out;
  cv::randu(image, 0.0, 1.0);
  // OpenCV has special code for symmetric kernels, so these kernels are not symmetric.
  cv::Mat line(1, k, CV_32F), square(k, k, CV_32F);
  cv::randu(line, 0.0, 1.0);
  cv::randu(square, 0.0, 1.0);
  std::vector<double> times;
  const auto seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (double total = 0; times.size() < 4 || (total < 0.5 && times.size() < 1000); total += times.back()) {
    const double begin = seconds();
    if (separable)
      cv::sepFilter2D(image, out, CV_32F, line, line, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
    else
      cv::filter2D(image, out, CV_32F, square, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
    times.push_back(seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[times.size() / 2]);
}
