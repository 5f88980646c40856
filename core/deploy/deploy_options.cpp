#include "core/deploy/deploy_options.h"

#include "core/emit/c_words.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/target/instruction_set.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string>

namespace nestwright {

namespace {

constexpr NameTable<Threading, 3> kThreading = {{"serial", "openmp", "callback"}};

constexpr std::array kSets = {InstructionSet::Native, InstructionSet::Sse42, InstructionSet::Avx2,
                              InstructionSet::Avx512};

/// Libraries of the system, and names that the code around the kernels has itself: a library of
/// such a name would be linked in place of another, or not compile.
constexpr std::array kReserved = {"c",           "dl",           "feature",      "features",
                                  "failed",      "gcc",          "gomp",         "kernel",
                                  "m",           "pthread",      "region",       "rt",
                                  "stdcxx",      "run_part",     "exp",          "log",
                                  "tanh",        "erf",          "pow",          "fmod",
                                  "sin",         "cos",          "threads_of",   "kernels",
                                  "lacking",     "levels",       "processors",   "allowed_level",
                                  "saved_state", "variant_here", "workspace_of", "abs",
                                  "labs",        "div",          "ldiv",         "rand",
                                  "index",       "select",       "remove",       "sqrt",
                                  "floor",       "ceil",         "round"};

/// What no Python module and function can be called: words of the language, and what NAME.py needs
/// under these names.
constexpr std::array kPythonNames = {
    "False",      "None",  "True",   "as",        "assert",   "async",     "await",
    "def",        "del",   "elif",   "except",    "finally",  "from",      "global",
    "import",     "in",    "is",     "lambda",    "nonlocal", "pass",      "raise",
    "with",       "yield", "ctypes", "empty",     "keyword",  "np",        "numpy",
    "os",         "pack",  "sys",    "threading", "torch",    "enumerate", "getattr",
    "isinstance", "len",   "list",   "str",       "tuple",    "type",      "zip"};

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

const char* name(Threading threading) {
  return kThreading.of(threading);
}

std::vector<std::string> threadingNames() {
  return {kThreading.names.begin(), kThreading.names.end()};
}

Threading threadingFromName(std::string_view text) {
  if (const auto threading = kThreading.find(text)) return *threading;
  throw InputError(fmt::format("\"{}\" says nothing about threads; there are {}", text,
                               fmt::join(threadingNames(), ", ")));
}

const char* processorName(InstructionSet set) {
  return set == InstructionSet::Native ? name(set) : processorOf(set);
}

std::vector<std::string> processorNames() {
  std::vector<std::string> names;
  for (const InstructionSet set : kSets)
    names.emplace_back(processorName(set));
  return names;
}

InstructionSet instructionSetOfProcessor(std::string_view text) {
  for (const InstructionSet set : kSets)
    if (text == processorName(set)) return set;
  throw UsageError(fmt::format("\"{}\" is no processor to compile for; there are {}", text,
                               fmt::join(processorNames(), ", ")));
}

std::vector<InstructionSet> arrangedSets(std::vector<InstructionSet> sets) {
  if (sets.empty())
    throw UsageError("no processor is chosen; native is this machine's, with all that it has");
  std::ranges::sort(sets, std::ranges::greater());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  if (sets.size() > 1 && sets.back() == InstructionSet::Native)
    throw UsageError("native is for this machine alone and cannot be one of several processors; "
                     "leave it out, or name it alone");
  return sets;
}

std::vector<InstructionSet> parseProcessors(std::string_view text) {
  std::vector<InstructionSet> sets;
  while (true) {
    const std::size_t comma = text.find(',');
    sets.push_back(instructionSetOfProcessor(text.substr(0, comma)));
    if (comma == std::string_view::npos) return arrangedSets(std::move(sets));
    text.remove_prefix(comma + 1);
  }
}

std::string processorsText(const std::vector<InstructionSet>& sets) {
  std::vector<std::string> names;
  for (const InstructionSet set : sets)
    names.emplace_back(processorName(set));
  return fmt::format("{}", fmt::join(names, ", "));
}

double parseShare(std::string_view text) {
  const bool percent = text.ends_with('%');
  const std::string_view digits = percent ? text.substr(0, text.size() - 1) : text;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const double share = percent ? value / 100 : value;
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
      !(share >= 0 && share <= 1))
    throw UsageError(fmt::format("\"{}\" is no share: 95% or 0.95 would be one", text));
  return share;
}

std::string identifierFrom(std::string_view text) {
  std::string name;
  for (const char c : text)
    if (isLetter(c) || isDigit(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (name.ends_with('_'))
    name.pop_back();
  if (std::ranges::none_of(name, isLetter)) return "library";
  if (isDigit(name.front())) name.insert(0, "n");
  if (isCWord(name)) name += "_library";
  return name;
}

std::string libraryName(const std::string& subject) {
  return identifierFrom(
      std::filesystem::path(subject.substr(0, subject.find(':'))).stem().string());
}

std::string identifierProblem(std::string_view name) {
  const bool fits =
      !name.empty() && isLetter(name.front()) &&
      std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c) || c == '_'; });
  if (std::ranges::find(kReserved, name) != kReserved.end() ||
      std::ranges::find(kPythonNames, name) != kPythonNames.end())
    return fmt::format("a library cannot be called {}: the system, Python or the code of every "
                       "library has this name; {}_library would do",
                       name, name);
  constexpr std::size_t kLongest = 100;
  if (!fits || isCWord(name) || name.size() > kLongest)
    return fmt::format(
        "\"{}\" cannot name a C library: a name is a letter and then letters, digits "
        "and _, up to {} of them, and no word of the language; {} would do",
        name, kLongest, identifierFrom(name.substr(0, kLongest / 2)));
  return {};
}

void requireIdentifier(std::string_view name) {
  if (const std::string problem = identifierProblem(name); !problem.empty())
    throw UsageError(problem);
}

std::vector<std::string> parameterNames(const std::vector<std::string>& texts,
                                        std::vector<std::string> taken) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const std::string base = identifierFrom(text);
    std::string name = base;
    for (int i = 2; isCWord(name) || std::ranges::find(taken, name) != taken.end(); ++i)
      name = fmt::format("{}_{}", base, i);
    taken.push_back(name);
    names.push_back(std::move(name));
  }
  return names;
}

} // namespace nestwright
