#include "plugins/torch/learner/blas.h"

#include "core/learn/learner_packages.h"
#include "core/support/error.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace nestwright::learner {

namespace {

/// A function of OpenBLAS's own; null where the library is another one.
template <class F>
F* openBlas(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

std::string requireFastBlas() {
  constexpr std::array<std::string_view, 4> kFast = {"openblas", "mkl", "blis", "atlas"};
  const void* product = dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info info{};
  std::string file;
  if (product && dladdr(product, &info) != 0 && info.dli_fname) {
    std::error_code failure;
    file = std::filesystem::canonical(info.dli_fname, failure).string();
  }
  const bool fast = std::ranges::any_of(
      kFast, [&](std::string_view name) { return file.find(name) != std::string::npos; });
  if (!fast)
    throw SystemError(fmt::format(
        "libtorch would multiply matrices with the reference BLAS ({}), which takes fifteen times "
        "as long: apt-get install {}",
        file.empty() ? "no library has sgemm_" : file, kLearnerBlas));
  // Built for one thread, it hands the same buffer to two that ask at once.
  if (auto* parallel = openBlas<int()>("openblas_get_parallel"); parallel && parallel() == 0)
    throw SystemError(fmt::format(
        "the OpenBLAS of this machine ({}) is built for programs of one thread, and gives wrong "
        "products when several ask at once: apt-get install {}",
        file, kLearnerBlas));
  auto* core = openBlas<const char*()>("openblas_get_corename");
  return core ? fmt::format("OpenBLAS {}", core()) : file;
}

} // namespace nestwright::learner
