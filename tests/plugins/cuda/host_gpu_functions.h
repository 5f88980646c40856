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
