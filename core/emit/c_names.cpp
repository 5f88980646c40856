#include "core/emit/c_names.h"

#include "core/emit/c_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nestwright {
namespace {

/// Words that a tensor may well be called and that mean something else in C or CUDA C.
bool isReserved(std::string_view name) {
  static constexpr auto kFunctions = std::to_array<std::string_view>(
      {"abs",     "blockDim", "gamma", "j0",    "j1",      "jn",   "lgamma", "round",
       "signgam", "trunc",    "y0",    "y1",    "yn",      "ceil", "cos",    "dim3",
       "erf",     "exp",      "fabs",  "floor", "gridDim", "log",  "max",    "min",
       "pow",     "fmod",     "rint",  "rsqrt", "sin",     "sqrt", "tanh",   "warpSize"});
  // Functions of float end in f.
  const std::string_view plain = name.ends_with('f') ? name.substr(0, name.size() - 1) : name;
  return isCWord(name) || std::ranges::find(kFunctions, name) != kFunctions.end() ||
         std::ranges::find(kFunctions, plain) != kFunctions.end() || name == "threadIdx" ||
         name == "blockIdx" || name.starts_with("nw_") || name.starts_with("__");
}

} // namespace

std::string cIdentifier(const std::string& name) {
  std::string text;
  for (const char c : name)
    text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  const bool letter = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0]));
  return letter && !isReserved(text) ? text : "v_" + text;
}

std::string CNames::fresh(const std::string& wanted) {
  const std::string base = cIdentifier(wanted);
  std::string name = base;
  for (int i = 2; !taken_.insert(name).second; ++i)
    name = fmt::format("{}_{}", base, i);
  return name;
}

void CNames::release(const void* what) {
  const auto found = names_.find(what);
  if (found == names_.end()) return;
  taken_.erase(found->second);
  names_.erase(found);
}

const std::string& CNames::nameOf(const void* what, const std::string& wanted) {
  const auto found = names_.find(what);
  return found != names_.end() ? found->second : names_[what] = fresh(wanted);
}

} // namespace nestwright
