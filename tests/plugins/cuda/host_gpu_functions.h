/// \file Conversions as a GPU makes them, for the host: put behind the preamble's types.

static inline float nw_f32(nw_f16 a) {
  const int exponent = a.bits >> 10 & 31, fraction = a.bits & 1023;
  const float units = static_cast<float>(exponent == 0 ? fraction : 1024 + fraction);
  const float finite = __builtin_ldexpf(units, exponent == 0 ? -24 : exponent - 25);
  const float magnitude = exponent < 31   ? finite
                          : fraction == 0 ? __builtin_inff()
                                          : __builtin_nanf("");
  return a.bits & 0x8000 ? -magnitude : magnitude;
}
static inline float nw_f32(nw_bf16 a) {
  return nw_bits<float>(static_cast<unsigned>(a.bits) << 16);
}
/// To the nearest, halves to even.
static inline nw_f16 nw_to_f16(float a) {
  const unsigned sign = nw_bits<unsigned>(a) >> 16 & 0x8000u;
  const float magnitude = __builtin_fabsf(a);
  if (a != a) return {0x7fff};
  if (magnitude == 0) return {static_cast<unsigned short>(sign)};
  if (magnitude >= 65520.0f) return {static_cast<unsigned short>(sign | 0x7c00u)};
  int exponent = 0;
  __builtin_frexpf(magnitude, &exponent);
  exponent = exponent < -13 ? -13 : exponent; // below, fractions keep their unit
  const auto units =
      static_cast<unsigned>(__builtin_rintf(__builtin_ldexpf(magnitude, 11 - exponent)));
  return {
      static_cast<unsigned short>(sign | (units + (static_cast<unsigned>(exponent + 13) << 10)))};
}
static inline nw_bf16 nw_to_bf16(float a) {
  const unsigned bits = nw_bits<unsigned>(a);
  return {
      static_cast<unsigned short>(a != a ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

// Tensor instructions: what the lanes of a warp tell one another. A register is two elements.

/// The row that another lane told, of 8 elements.
static inline const unsigned short* nw_row_of(const void* row, unsigned lane) {
  return nw_told(0xffffffffu, static_cast<const unsigned short*>(row), lane);
}
/// Each 8 x 8 matrix whose rows lanes 8 i to 8 i + 7 tell: a lane gets two neighbours of row
/// lane / 4, or of column lane / 4.
template <int Matrices, bool Transposed>
void nw_ldmatrix(unsigned* to, const void* row) {
  const unsigned lane = nw_given.lane();
  for (unsigned i = 0; i < Matrices; ++i) {
    unsigned pair[2];
    for (unsigned j = 0; j < 2; ++j) {
      const unsigned own = lane % 4 * 2 + j;
      const unsigned short* from = nw_row_of(row, 8 * i + (Transposed ? own : lane / 4));
      pair[j] = from[Transposed ? lane / 4 : own];
    }
    to[i] = pair[0] | pair[1] << 16;
  }
}
template <class T>
void nw_ldmatrix_x4(unsigned* to, const T* shared, int row) {
  nw_ldmatrix<4, false>(to, shared + row);
}
template <class T>
void nw_ldmatrix_x4_trans(unsigned* to, const T* shared, int row) {
  nw_ldmatrix<4, true>(to, shared + row);
}
template <class T>
void nw_ldmatrix_x2(unsigned* to, const T* shared, int row) {
  nw_ldmatrix<2, false>(to, shared + row);
}
template <class T>
void nw_ldmatrix_x2_trans(unsigned* to, const T* shared, int row) {
  nw_ldmatrix<2, true>(to, shared + row);
}

/// Lane 4 g + t holds rows g and g + 8 of a, columns g of b, and of the sums rows g and g + 8 at
/// columns 2 t and 2 t + 1.
template <class T>
void nw_mma_of_halves(float* sums, const unsigned* a, const unsigned* b) {
  struct Pair {
    unsigned low, high;
  };
  const unsigned lane = nw_given.lane(), group = lane / 4, member = lane % 4;
  const auto real = [](unsigned pair, unsigned which) {
    return nw_f32(T{static_cast<unsigned short>(pair >> 16 * which)});
  };
  float rows[2][16], columns[2][16];
  for (unsigned t = 0; t < 4; ++t) {
    const Pair near = nw_told(0xffffffffu, Pair{a[0], a[1]}, 4 * group + t);
    const Pair far = nw_told(0xffffffffu, Pair{a[2], a[3]}, 4 * group + t);
    for (unsigned j = 0; j < 2; ++j) {
      rows[0][2 * t + j] = real(near.low, j), rows[1][2 * t + j] = real(near.high, j);
      rows[0][2 * t + 8 + j] = real(far.low, j), rows[1][2 * t + 8 + j] = real(far.high, j);
    }
    for (unsigned c = 0; c < 2; ++c) {
      const Pair own = nw_told(0xffffffffu, Pair{b[0], b[1]}, 4 * (2 * member + c) + t);
      for (unsigned j = 0; j < 2; ++j)
        columns[c][2 * t + j] = real(own.low, j), columns[c][2 * t + 8 + j] = real(own.high, j);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 16; ++k)
      sums[i] += rows[i / 2][k] * columns[i % 2][k];
}
static inline void nw_mma_m16n8k8_tf32(float* sums, const unsigned* a, const unsigned* b) {
  struct Pair {
    float low, high;
  };
  const unsigned lane = nw_given.lane(), group = lane / 4, member = lane % 4;
  const auto real = [](unsigned bits) { return nw_bits<float>(bits); };
  float rows[2][8], columns[2][8];
  for (unsigned t = 0; t < 4; ++t) {
    const Pair near = nw_told(0xffffffffu, Pair{real(a[0]), real(a[1])}, 4 * group + t);
    const Pair far = nw_told(0xffffffffu, Pair{real(a[2]), real(a[3])}, 4 * group + t);
    rows[0][t] = near.low, rows[1][t] = near.high, rows[0][t + 4] = far.low,
    rows[1][t + 4] = far.high;
    for (unsigned c = 0; c < 2; ++c) {
      const Pair own = nw_told(0xffffffffu, Pair{real(b[0]), real(b[1])}, 4 * (2 * member + c) + t);
      columns[c][t] = own.low, columns[c][t + 4] = own.high;
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 8; ++k)
      sums[i] += rows[i / 2][k] * columns[i % 2][k];
}
static inline void nw_mma_m16n8k16_bf16(float* sums, const unsigned* a, const unsigned* b) {
  nw_mma_of_halves<nw_bf16>(sums, a, b);
}
static inline void nw_mma_m16n8k16_f16(float* sums, const unsigned* a, const unsigned* b) {
  nw_mma_of_halves<nw_f16>(sums, a, b);
}
