#include "plugins/torch/learner/blas.h"

#include "core/support/error.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace nestwright::learner {

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
        "as long: apt-get install libopenblas0-serial",
        file.empty() ? "no library has sgemm_" : file));
  using CoreName = const char* (*)();
  const auto core = reinterpret_cast<CoreName>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return core ? fmt::format("OpenBLAS {}", core()) : file;
}

} // namespace nestwright::learner
