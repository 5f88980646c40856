#include "app/cli/output.h"

#include "core/support/json_number.h"
#include "core/support/printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace nestwright::cli {

namespace {

using nlohmann::json;

/// Characters that a UTF-8 text takes on screen; all of ours are one column wide.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

} // namespace

void printText(std::FILE* file, std::string_view text) {
  fmt::print(file, "{}", printable(text));
}

std::string jsonLine(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json knownSeconds(double seconds) {
  return seconds > 0 ? finiteOrNull(seconds) : json();
}

void printJson(const json& document) {
  cli::print("{}\n", document.dump(2, ' ', false, json::error_handler_t::replace));
}

void printTable(const std::vector<std::string>& headers,
                const std::vector<std::vector<std::string>>& given,
                const std::vector<int>& rightAligned) {
  std::vector<std::vector<std::string>> rows = given;
  for (std::vector<std::string>& row : rows)
    for (std::string& cell : row)
      cell = printableLine(cell);
  std::vector<std::size_t> columns;
  for (const std::string& header : headers)
    columns.push_back(width(header));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      columns[i] = std::max(columns[i], width(row[i]));
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool right =
          std::find(rightAligned.begin(), rightAligned.end(), i) != rightAligned.end();
      text += padded(cells[i], columns[i], right);
      if (i + 1 < cells.size()) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    cli::print("{}\n", text);
  };
  line(headers);
  for (const auto& row : rows)
    line(row);
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}
ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(double done, double total, const std::string& text) {
  if (!terminal_) return;
  winsize size{};
  const std::size_t columns =
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
  constexpr int kBar = 24;
  const int filled =
      total > 0 ? static_cast<int>(std::lround(kBar * std::min(1.0, done / total))) : 0;
  std::string bar;
  for (int i = 0; i < kBar; ++i)
    bar += i < filled ? "━" : "─";
  std::string line = fmt::format("{} {}", bar, printableLine(text));
  // Widths count first bytes: a character leaves as a whole.
  while (width(line) > columns - 1)
    line.pop_back();
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

void ProgressLine::note(const std::string& text) {
  clear();
  cli::print(stderr, "note: {}\n", text);
}

} // namespace nestwright::cli
