#include "core/target/dot_products.h"

#include "core/target/target.h"

#include <algorithm>

namespace nestwright {

DotProducts dotProductsOf(const TargetFacts& target) {
  const auto has = [&](const char* feature) {
    return std::ranges::find(target.features, feature) != target.features.end();
  };
  if (target.gpu || isPlain(target.lowering)) return {};
  const char* const wholeVectors = target.vectorBytes == 64   ? "avx512bw"
                                   : target.vectorBytes == 32 ? "avx2"
                                                              : "sse2";
  // Short vectors of the first two are used, too; each such processor has these.
  return {has("avx512_bf16") && has("avx512vl"),
          (has("avx512_vnni") && has("avx512vl")) || (has("avx_vnni") && target.vectorBytes == 32),
          has(wholeVectors)};
}

} // namespace nestwright
