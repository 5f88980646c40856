#pragma once
/// \file What verbs print: tables for people, one JSON document for machines, a progress line.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nestwright::cli {

/// Prints one JSON document on standard output.
void printJson(const nlohmann::json& document);

/// Prints rows under headers with aligned columns; columns named in `rightAligned` by index.
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

 private:
  bool terminal_;
  bool shown_ = false;
};

} // namespace nestwright::cli
