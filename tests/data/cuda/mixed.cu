
extern "C" __global__ void __launch_bounds__(4) nw_mixed(const nw_f16* __restrict__ half, const nw_bf16* __restrict__ brain, const double* __restrict__ wide, const signed char* __restrict__ byte, const unsigned char* __restrict__ ubyte, const unsigned short* __restrict__ word, const int* __restrict__ v_int, const long long* __restrict__ v_long, const bool* __restrict__ flag, nw_f16* __restrict__ half_out, nw_bf16* __restrict__ brain_out, double* __restrict__ wide_out, signed char* __restrict__ byte_out, unsigned char* __restrict__ ubyte_out, unsigned short* __restrict__ word_out, int* __restrict__ int_out, long long* __restrict__ long_out, bool* __restrict__ flag_out) {
  const int threadIdx_x = threadIdx.x;
  {
    const nw_vec<nw_f16, 8> half_lanes = nw_load<8>(&half[threadIdx_x * 8]);
    nw_vec<nw_f16, 8> lanes;
    #pragma unroll
    for (int lane = 0; lane < 8; ++lane)
      lanes.lane[lane] = nw_to_f16(nw_max<float>(nw_f32(nw_to_f16(nw_f32(nw_to_f16(nw_f32(half_lanes.lane[lane]) * 2.0f)) + 1.0f)), 0.0f));
    nw_store<8>(&half_out[threadIdx_x * 8], lanes);
  }
  {
    const nw_vec<nw_bf16, 8> brain_lanes = nw_load<8>(&brain[threadIdx_x * 8]);
    nw_vec<nw_bf16, 8> lanes;
    #pragma unroll
    for (int lane = 0; lane < 8; ++lane)
      lanes.lane[lane] = nw_to_bf16(nw_max<float>(nw_f32(nw_to_bf16(nw_f32(nw_to_bf16(nw_f32(brain_lanes.lane[lane]) * 2.0f)) + 1.0f)), 0.0f));
    nw_store<8>(&brain_out[threadIdx_x * 8], lanes);
  }
  for (int i = 0; i < 8; ++i) {
    wide_out[threadIdx_x * 8 + i] = fabs(wide[threadIdx_x * 8 + i]) / 4.0;
  }
  for (int i_2 = 0; i_2 < 8; ++i_2) { // i
    byte_out[threadIdx_x * 8 + i_2] = nw_round_to_zero<signed char>(((float)nw_floordiv<signed char>(byte[threadIdx_x * 8 + i_2], (signed char)(3)) * 2.75f), (signed char)(-128), (signed char)(127));
  }
  for (int i_3 = 0; i_3 < 8; ++i_3) { // i
    ubyte_out[threadIdx_x * 8 + i_3] = nw_min<unsigned char>(nw_round_to_zero<unsigned char>(((float)(unsigned char)((ubyte[threadIdx_x * 8 + i_3] / (unsigned char)3)) * 2.75f), (unsigned char)0, (unsigned char)255), (unsigned char)255);
  }
  for (int i_4 = 0; i_4 < 8; ++i_4) { // i
    word_out[threadIdx_x * 8 + i_4] = nw_min<unsigned short>(nw_round_to_zero<unsigned short>(((float)(unsigned short)((word[threadIdx_x * 8 + i_4] / (unsigned short)3)) * 2.75f), (unsigned short)0, (unsigned short)65535), (unsigned short)255);
  }
  for (int i_5 = 0; i_5 < 8; ++i_5) { // i
    int_out[threadIdx_x * 8 + i_5] = nw_round_to_zero<int>(((float)nw_floordiv<int>(v_int[threadIdx_x * 8 + i_5], 3) * 2.75f), (-2147483647 - 1), 2147483647);
  }
  for (int i_6 = 0; i_6 < 8; ++i_6) { // i
    long_out[threadIdx_x * 8 + i_6] = nw_round_to_zero<long long>(((float)nw_floordiv<long long>(v_long[threadIdx_x * 8 + i_6], 3ll) * 2.75f), (-9223372036854775807ll - 1), 9223372036854775807ll);
  }
  for (int i_7 = 0; i_7 < 8; ++i_7) { // i
    flag_out[threadIdx_x * 8 + i_7] = !flag[threadIdx_x * 8 + i_7];
  }
}
