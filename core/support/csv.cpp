#include "core/support/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nestwright {

namespace {

/// A decimal number and nothing else; "-inf" and "-nan" are texts to a spreadsheet.
bool isNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// Whether it begins, behind any apostrophes, as formulas do.
bool needsGuard(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos &&
         (first > 0 || !isNumber(text));
}

} // namespace

std::string withFormulaGuard(std::string_view text) {
  return needsGuard(text) ? "'" + std::string(text) : std::string(text);
}

std::string withoutFormulaGuard(std::string_view cell) {
  const bool guarded = cell.starts_with('\'') && needsGuard(cell);
  return std::string(guarded ? cell.substr(1) : cell);
}

std::string csvRemark(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string result = "# ";
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view cell = std::string_view(line).substr(begin, end - begin);
    const std::size_t blanks = std::min(cell.find_first_not_of(' '), cell.size());
    result += cell.substr(0, blanks);
    const std::string_view content = cell.substr(blanks);
    if (begin > 0 && content.starts_with('"'))
      result += '\''; // the quotes are letters, not those of a cell with a formula in them
    result += begin == 0 ? std::string(content) : withFormulaGuard(content);
    if (end < line.size()) result += ',';
    begin = end + 1;
  }
  return result;
}

std::string csvField(std::string_view text) {
  std::string cell = withFormulaGuard(text);
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

} // namespace nestwright
