
extern "C" __global__ void __launch_bounds__(64) nw_C(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int blockIdx_x = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float A_shared[256];
  __shared__ __align__(16) float B_shared[256];
  float C_local[16];
  #pragma unroll
  for (int i_3 = 0; i_3 < 4; ++i_3) { // i.3
    #pragma unroll
    for (int j_3 = 0; j_3 < 4; ++j_3) { // j.3
      C_local[i_3 * 4 + j_3] = 0.0f;
    }
  }
  for (int k_0 = 0; k_0 < 4; ++k_0) { // k.0
    __syncthreads();
    nw_store<4>(&A_shared[(threadIdx_x >> 1) * 8 + (threadIdx_x & 1) * 4], nw_load<4>(&A[((blockIdx_x >> 1) * 32 + (threadIdx_x >> 1)) * 32 + k_0 * 8 + (threadIdx_x & 1) * 4]));
    nw_store<4>(&B_shared[(threadIdx_x >> 3) * 32 + (threadIdx_x & 7) * 4], nw_load<4>(&B[(k_0 * 8 + (threadIdx_x >> 3)) * 64 + (blockIdx_x & 1) * 32 + (threadIdx_x & 7) * 4]));
    __syncthreads();
    for (int k_1 = 0; k_1 < 8; ++k_1) { // k.1
      #pragma unroll
      for (int i_3 = 0; i_3 < 4; ++i_3) { // i.3
        #pragma unroll
        for (int j_3 = 0; j_3 < 4; ++j_3) { // j.3
          C_local[i_3 * 4 + j_3] = C_local[i_3 * 4 + j_3] + A_shared[((threadIdx_x >> 3) * 4 + i_3) * 8 + k_1] * B_shared[k_1 * 32 + (threadIdx_x & 7) * 4 + j_3];
        }
      }
    }
  }
  #pragma unroll
  for (int i_3 = 0; i_3 < 4; ++i_3) { // i.3
    {
      nw_vec<float, 4> lanes;
      #pragma unroll
      for (int lane = 0; lane < 4; ++lane)
        lanes.lane[lane] = C_local[i_3 * 4 + lane];
      nw_store<4>(&C[((blockIdx_x >> 1) * 32 + (threadIdx_x >> 3) * 4 + i_3) * 64 + (blockIdx_x & 1) * 32 + (threadIdx_x & 7) * 4], lanes);
    }
  }
}
