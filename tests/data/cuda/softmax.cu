
extern "C" __global__ void __launch_bounds__(32) nw_out(const float* __restrict__ in, float* __restrict__ out) {
  const int blockIdx_x = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  float most[1];
  float other[1];
  float part[1];
  part[0] = nw_max<float>(in[blockIdx_x * 64 + threadIdx_x + 0], in[blockIdx_x * 64 + threadIdx_x + 32]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 16, 32);
  part[0] = nw_max<float>(part[0], other[0]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 8, 32);
  part[0] = nw_max<float>(part[0], other[0]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 4, 32);
  part[0] = nw_max<float>(part[0], other[0]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 2, 32);
  part[0] = nw_max<float>(part[0], other[0]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 1, 32);
  part[0] = nw_max<float>(part[0], other[0]);
  most[0] = nw_shuffle_from(0xffffffffu, part[0], 0, 32);
  part[0] = expf(in[blockIdx_x * 64 + threadIdx_x + 0] - most[0]) + expf(in[blockIdx_x * 64 + threadIdx_x + 32] - most[0]);
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 16, 32);
  part[0] = part[0] + other[0];
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 8, 32);
  part[0] = part[0] + other[0];
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 4, 32);
  part[0] = part[0] + other[0];
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 2, 32);
  part[0] = part[0] + other[0];
  other[0] = nw_shuffle_down(0xffffffffu, part[0], 1, 32);
  part[0] = part[0] + other[0];
  part[0] = nw_shuffle_from(0xffffffffu, part[0], 0, 32);
  out[blockIdx_x * 64 + threadIdx_x + 0] = expf(in[blockIdx_x * 64 + threadIdx_x + 0] - most[0]) / part[0];
  out[blockIdx_x * 64 + threadIdx_x + 32] = expf(in[blockIdx_x * 64 + threadIdx_x + 32] - most[0]) / part[0];
}
