#include "tests/bench/tenset_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace nestwright::bench {

void TenSetLines::nextTask() {
  constexpr std::array<std::int64_t, 6> kSizes{7, 14, 28, 56, 112, 224};
  constexpr std::array<std::int64_t, 7> kChannels{16, 32, 64, 96, 128, 256, 512};
  constexpr std::array<std::int64_t, 4> kKernels{1, 3, 5, 7};
  ++task_;
  size_ = random_.pick(kSizes), in_ = random_.pick(kChannels), out_ = random_.pick(kChannels);
  kernel_ = random_.pick(kKernels);
  seconds_ = 1e-5 * double(1 + random_.below(2000));
  const std::vector<std::int64_t> shape{1, size_, size_, in_,  kernel_, kernel_, in_,   out_,
                                        1, 1,     1,     out_, 1,       size_,   size_, out_};
  key_ = fmt::format("[\\\"{}\\\", {}]", hashHex(fmt::format("task {}", task_ % 138)),
                     fmt::join(shape, ", "));
}

/// Sizes that multiply to a divisor of the extent.
std::string TenSetLines::split(int iterator, std::int64_t extent, int parts) {
  std::vector<std::int64_t> sizes;
  std::int64_t rest = extent;
  for (int i = 0; i < parts; ++i) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= std::min<std::int64_t>(rest, 64); ++d)
      if (rest % d == 0) divisors.push_back(d);
    sizes.push_back(random_.pick(divisors));
    rest /= sizes.back();
  }
  return fmt::format(R"(["SP", 3, {}, {}, [{}], 1])", iterator, extent, fmt::join(sizes, ", "));
}

std::string TenSetLines::steps() {
  const bool writes = random_.below(3) == 0; // which of two sketches
  const int level = int(1 + random_.below(2));
  std::vector<std::string> steps{R"(["CI", 5])"};
  if (writes) steps.push_back(R"(["CHW", 3, "local"])");
  const std::int64_t extents[] = {1, size_, size_, out_};
  for (int i = 0; i < 4; ++i)
    steps.push_back(split(4 * i, extents[i], 3));
  steps.push_back(split(16, kernel_, 1));
  steps.push_back(split(18, kernel_, 1));
  steps.push_back(split(20, in_, 1));
  steps.push_back(
      R"(["RE", 3, [0, 4, 8, 12, 1, 5, 9, 13, 16, 18, 20, 2, 6, 10, 14, 17, 19, 21, 3, )"
      R"(7, 11, 15]])");
  for (int i = 0; i < 4; ++i)
    steps.push_back(fmt::format(R"(["FSP", 6, {}, {}, {}])", (level + 1) * i, i + 1, level));
  steps.push_back(level == 1 ? R"(["RE", 6, [0, 2, 4, 6, 1, 3, 5, 7]])"
                             : R"(["RE", 6, [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]])");
  steps.push_back(fmt::format(R"(["CA", 3, 6, {}])", 4 * level - 1));
  if (random_.below(2) == 0)
    steps.push_back(R"(["CI", 1])");
  else
    steps.push_back(fmt::format(R"(["CA", 1, 3, {}])", random_.below(12)));
  std::vector<int> fused;
  const int count = int(2 + random_.below(6));
  for (int i = 0; i < count; ++i)
    fused.push_back(i);
  steps.push_back(fmt::format(R"(["FU", 6, [{}]])", fmt::join(fused, ", ")));
  steps.push_back(R"(["AN", 6, 0, 3])");
  constexpr std::array<int, 4> kUnroll{0, 16, 64, 512};
  steps.push_back(fmt::format(R"(["PR", 3, 0, "auto_unroll_max_step${}"])", random_.pick(kUnroll)));
  if (random_.below(4) != 0) steps.push_back(R"(["AN", 3, 21, 2])");
  if (random_.below(2) == 0)
    steps.push_back(fmt::format(R"(["AN", 6, {}, 2])", 4 * (level + 1) - count));
  return fmt::format("{}", fmt::join(steps, ", "));
}

std::string TenSetLines::result() {
  time_ += std::int64_t(random_.below(2));
  const double all = 0.1 + random_.unit();
  if (random_.below(40) == 0)
    return fmt::format("[[1e+10], {}, {:.6g}, {}]", 4 + random_.below(4), all, time_);
  const double centre = seconds_ * (1 + 30 * random_.unit() * random_.unit());
  std::vector<std::string> repeats;
  for (int i = 0; i < 8; ++i)
    repeats.push_back(fmt::format("{:.6g}", centre * (1 + 0.03 * random_.unit())));
  return fmt::format("[[{}], 0, {:.6g}, {}]", fmt::join(repeats, ", "), all, time_);
}

std::string TenSetLines::line() {
  return fmt::format(R"({{"i": [["{}", "llvm -keys=cpu -mcpu=skylake-avx512 )"
                     R"(-model=platinum-8272", [16, 64, 64, 0, 0, 0, 0, 0], "", 2, []], )"
                     R"([[], [{}]]], "r": {}, "v": "v0.6"}})",
                     key_, steps(), result());
}

std::string TenSetLines::fileName() const {
  std::string key;
  for (const char c : key_)
    if (c != '\\' && c != '"' && c != ' ') key += c;
  return fmt::format("({},llvm).json", key);
}

std::int64_t writeTenSetTree(const std::string& folder, std::int64_t records, std::int64_t perTask,
                             std::uint64_t seed) {
  const std::filesystem::path platform =
      std::filesystem::path(folder) / "measure_records" / "platinum-8272";
  std::filesystem::create_directories(platform);
  TenSetLines lines(seed);
  std::int64_t bytes = 0;
  while (records > 0) {
    lines.nextTask();
    std::ofstream file(platform / lines.fileName(), std::ios::app);
    for (std::int64_t i = 0; i < perTask && records > 0; ++i, --records) {
      const std::string line = lines.line() + "\n";
      file << line;
      bytes += std::int64_t(line.size());
    }
  }
  return bytes;
}

} // namespace nestwright::bench
