#pragma once
/// \file What verbs print: tables for people, one JSON document for machines, a progress line. All
/// text leaves through here, where names that others chose lose their hold on the terminal
/// (core/support/printable.h).

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright::cli {

/// Writes the text as printable() has it.
void printText(std::FILE* file, std::string_view text);

/// Prints on standard output, or on `file`. Always called as cli::print: other rooms have a print()
/// of their own.
template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  printText(stdout, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void print(std::FILE* file, fmt::format_string<Args...> format, Args&&... args) {
  printText(file, fmt::format(format, std::forward<Args>(args)...));
}

/// The document in one line; bytes that are no UTF-8 become U+FFFD.
std::string jsonLine(const nlohmann::json& document);

/// The seconds; null when they are not known, which an infinity and zero say.
nlohmann::json knownSeconds(double seconds);

/// Prints one JSON document on standard output.
void printJson(const nlohmann::json& document);

/// Prints rows under headers with aligned columns, each row in one line; columns named in
/// `rightAligned` by index.
void printTable(const std::vector<std::string>& headers,
                const std::vector<std::vector<std::string>>& rows,
                const std::vector<int>& rightAligned = {});

/// A line on standard error that rewrites itself on a terminal and is silent elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  /// `done` of `total` as a bar, then the text; cut at the terminal's width.
  void show(double done, double total, const std::string& text);
  /// Ends the line, so that other output starts on a fresh one.
  void clear();
  /// A line of its own on standard error, which stays there: "note: …".
  void note(const std::string& text);

 private:
  bool terminal_;
  bool shown_ = false;
};

} // namespace nestwright::cli
