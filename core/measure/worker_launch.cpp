#include "core/measure/worker_launch.h"

#include "core/support/error.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr std::string_view kBlanks = " \t\n\r";

} // namespace

WorkerLaunch workerLaunchFromText(std::string_view line) {
  WorkerLaunch launch;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      inWord = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      inWord = true;
    } else if (quote != 0 || !blank) {
      word += c;
      inWord = true;
    } else if (inWord) {
      launch.command.push_back(std::move(word));
      word.clear();
      inWord = false;
    }
  }
  if (quote != 0)
    throw UsageError(fmt::format("the worker's command \"{}\" has a quote that is not closed; add "
                                 "{} at the end, or a backslash before it",
                                 line, quote));
  if (inWord) launch.command.push_back(std::move(word));
  return launch;
}

std::string toText(const WorkerLaunch& launch) {
  return fmt::format("{}", fmt::join(launch.command, " "));
}

} // namespace nestwright
