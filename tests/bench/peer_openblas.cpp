#include "tests/bench/peers.h"

#include <cblas.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace nestwright::bench {
namespace {

/// A contender whose `body` computes one output of `elements` from input set `set`.
Contender contender(const InputSets& inputs, std::int64_t elements, int threads,
                    const std::string& detail,
                    std::function<void(std::size_t set, float* result)> body) {
  auto results = std::make_shared<std::vector<test::AlignedBytes>>();
  for (std::size_t set = 0; set < inputs.size(); ++set)
    results->emplace_back(elements * static_cast<std::int64_t>(sizeof(float)));
  return {"OpenBLAS", detail,
          [results, body = std::move(body), threads](std::size_t set) {
            openblas_set_num_threads(threads);
            body(set, (*results)[set].as<float>());
          },
          [results](std::size_t set) { return (*results)[set].as<const float>(); }};
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
              float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), 1.f, a, static_cast<blasint>(k), b,
              static_cast<blasint>(n), 0.f, c, static_cast<blasint>(n));
}

} // namespace

std::string openBlasText() {
  const std::string config = openblas_get_config(); // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
  return fmt::format("{} ({})", config.substr(0, config.find(' ', config.find(' ') + 1)),
                     openblas_get_corename());
}

void restartForOpenBlas(char** argv) {
  const std::string core = openblas_get_corename(), wanted = "SkylakeX";
  const bool generic = core == "Haswell" || core == "Zen" || core == "Prescott";
  if (!generic || !__builtin_cpu_supports("avx512f")) return;
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  if (asked && asked == wanted) return; // it was tried, and this build has no such kernels
  setenv("OPENBLAS_CORETYPE", wanted.c_str(), 1); // read once, when the library is loaded
  execv("/proc/self/exe", argv);
}

Contender openBlasMatmul(const InputSets& inputs, const MatmulShape& shape, int threads) {
  return contender(inputs, shape.batch * shape.m * shape.n, threads, "sgemm",
                   [inputs = &inputs, shape](std::size_t set, float* result) {
                     const bool batched = shape.batch > 1;
                     const float* a = inputs->input(set, batched ? "X" : "A");
                     const float* b = inputs->input(set, batched ? "Y" : "B");
                     for (std::int64_t i = 0; i < shape.batch; ++i)
                       multiply(shape.m, shape.n, shape.k, a + i * shape.m * shape.k,
                                b + i * shape.k * shape.n, result + i * shape.m * shape.n);
                   });
}

Contender openBlasPointwise(const InputSets& inputs, const ConvShape& shape, int threads) {
  return contender(inputs, shape.size * shape.size * shape.outputs, threads, "sgemm + loop",
                   [inputs = &inputs, shape](std::size_t set, float* result) {
                     const std::int64_t pixels = shape.size * shape.size;
                     multiply(pixels, shape.outputs, shape.inputs, inputs->input(set, "data"),
                              inputs->input(set, "kernel"), result);
                     if (!shape.biasAndRelu) return;
                     const float* bias = inputs->input(set, "bias");
                     for (std::int64_t p = 0; p < pixels; ++p)
                       for (std::int64_t c = 0; c < shape.outputs; ++c) {
                         float& value = result[p * shape.outputs + c];
                         value = std::max(value + bias[c], 0.f);
                       }
                   });
}

Contender openBlasNorm(const InputSets& inputs, std::int64_t rows, std::int64_t columns,
                       int threads) {
  return contender(inputs, rows, threads, "sdot",
                   [inputs = &inputs, rows, columns](std::size_t set, float* result) {
                     const float* a = inputs->input(set, "A");
                     for (std::int64_t r = 0; r < rows; ++r) {
                       const float* row = a + r * columns;
                       const auto n = static_cast<blasint>(columns);
                       result[r] = std::sqrt(cblas_sdot(n, row, 1, row, 1));
                     }
                   });
}

} // namespace nestwright::bench
