#pragma once
/// \file GPU targets and tasks that several tests sample.

#include "core/network/graph/workloads.h"
#include "core/space/sketch.h"
#include "core/tensor/text.h"
#include "tests/tensor/tvm_dags.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwright::test {

/// H100's architecture.
inline SpaceOptions sm90(Draws draws) {
  return spaceOptionsFor(cudaTarget(gpuPreset({9, 0})), draws);
}

/// The task of the public record tests/data/logs/tvm-gallery-conv2d.json: NCHW, with bias and ReLU.
inline ComputeDag galleryConvolution() {
  return parseDag(
      "data = PLACEHOLDER [1, 512, 7, 7]\n"
      "pad_temp(i0, i1, i2=9, i3=9) = if_then_else(((((i2 >= 1) && (i2 < 8)) && (i3 >= 1)) && (i3 "
      "< "
      "8)), data[i0, i1, (i2 - 1), (i3 - 1)], 0f)\n"
      "kernel = PLACEHOLDER [512, 512, 3, 3]\n"
      "conv(nn, ff, yy=7, xx=7) {rc, ry, rx} += (pad_temp[nn, rc, (yy + ry), (xx + rx)]*kernel[ff, "
      "rc, ry, rx])\n"
      "bias = PLACEHOLDER [1, 512, 1, 1]\n"
      "T_add(ax0, ax1, ax2, ax3) = (conv[ax0, ax1, ax2, ax3] + bias[ax0, ax1, 0, 0])\n"
      "relu(ax0, ax1, ax2, ax3) = max(T_add[ax0, ax1, ax2, ax3], 0f)\n");
}

/// Twelve operators that networks have, and a convolution with constant transforms.
inline std::vector<std::pair<std::string, ComputeDag>> gpuTasks() {
  std::vector<std::pair<std::string, ComputeDag>> tasks;
  for (const char* text :
       {"matmul:m=512,n=512,k=512", "batch_matmul:b=12,m=128,n=128,k=64", "conv1d",
        "conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1,bias=1,relu=1",
        "conv2d:n=1,h=14,w=14,ci=256,co=512,k=1,s=1,p=0,relu=1", "conv3d", "depthwise_conv2d",
        "grouped_conv2d", "dilated_conv2d", "transposed_conv2d", "softmax:m=512,n=1000", "norm"})
    tasks.emplace_back(text, parseTaskSpec(text).dag);
  tasks.emplace_back("winograd", winogradNhwc(14, 16, 32));
  return tasks;
}

} // namespace nestwright::test
