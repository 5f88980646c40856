#include "core/backend/linked_code.h"

#include "core/backend/linked_gpu_code.h"
#include "core/support/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string_view>

namespace nestwright {

namespace {

using std::string_view;

/// The number that the text begins with, or -1.
int number(string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<string_view> split(string_view text) {
  std::vector<string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A label begins a block that may be come to from elsewhere, but the assembler's line stays in
/// force; a function begins without one.
LinkedCode linkAssembly(string_view marked) {
  LinkedCode code;
  int line = -1;
  for (const string_view text : split(marked)) {
    const string_view word = withoutIndent(text);
    if (word.starts_with(".loc\t") || word.starts_with(".loc ")) {
      const string_view rest = withoutIndent(word.substr(5)); // file, line, column
      const std::size_t blank = rest.find(' ');
      line = blank == string_view::npos ? -1 : number(rest.substr(blank + 1)) - 1;
      continue;
    }
    if (word.starts_with(".file\t1 ") || word.starts_with(".file 1 ")) continue;
    if (word.starts_with(".cfi_startproc")) line = -1;
    code.lines.emplace_back(text);
    code.irLine.push_back(isInstruction(code.lines.back()) ? line : -1);
  }
  return code;
}

/// Metadata comes last in LLVM IR: "!7 = !DILocation(line: 12, scope: !3)".
std::map<int, int> locationsOf(const std::vector<string_view>& lines) {
  std::map<int, int> locations;
  for (const string_view line : lines) {
    if (!line.starts_with('!')) continue;
    const std::size_t at = line.find("!DILocation(line: ");
    if (at != string_view::npos) locations[number(line.substr(1))] = number(line.substr(at + 18));
  }
  return locations;
}

bool isDebugMetadata(string_view line) {
  if (!line.starts_with('!')) return false;
  for (const string_view word : {"!DI", "!llvm.dbg.cu", "!\"Debug Info Version\""})
    if (line.find(word) != string_view::npos) return true;
  return false;
}

LinkedCode linkLlvmIr(string_view marked) {
  const std::vector<string_view> lines = split(marked);
  const std::map<int, int> locations = locationsOf(lines);
  LinkedCode code;
  for (const string_view line : lines) {
    if (isDebugMetadata(line)) continue;
    const std::size_t mark = line.find("!dbg !");
    if (mark == string_view::npos) {
      code.lines.emplace_back(line);
      code.irLine.push_back(-1);
      continue;
    }
    // ", !dbg !7" after an instruction, " !dbg !7 {" in a function's head.
    const int id = number(line.substr(mark + 6));
    const std::size_t end = line.find_first_not_of("0123456789", mark + 6);
    std::string kept(line.substr(0, line.find_last_not_of(" ,", mark - 1) + 1));
    if (end != string_view::npos) kept += line.substr(end);
    const auto found = locations.find(id);
    code.lines.push_back(std::move(kept));
    code.irLine.push_back(found == locations.end() ? -1 : found->second - 1);
  }
  while (!code.lines.empty() && code.lines.back().empty()) {
    code.lines.pop_back();
    code.irLine.pop_back();
  }
  return code;
}

} // namespace

bool isInstruction(const std::string& line) {
  const string_view word = withoutIndent(line);
  if (word.empty() || word.starts_with('.') || word.starts_with('#')) return false;
  const std::size_t end = word.find_first_of(" \t");
  return !word.substr(0, end).ends_with(':');
}

std::string codeKey(const std::string& line, CodeForm form) {
  const bool assembly = form == CodeForm::Assembly;
  if (!assembly && form != CodeForm::LlvmIr) return gpuCodeKey(line, form);
  std::string key;
  const std::size_t comment = line.find(assembly ? '#' : ';');
  const std::size_t size = std::min(line.size(), comment);
  for (std::size_t i = 0; i < size; ++i) {
    const bool begins = assembly
                            ? line.compare(i, 4, ".LBB") == 0 || line.compare(i, 5, ".LCPI") == 0
                            : line[i] == '%' || line[i] == '!' || line[i] == '#';
    if (!begins) {
      key += line[i];
      continue;
    }
    // ".LBB2_17" becomes ".LBB_", "%42" and "%sum.i12" lose their digits.
    while (i < size && line[i] != ' ' && line[i] != ',' && line[i] != ')' && line[i] != '\t') {
      if (!std::isdigit(static_cast<unsigned char>(line[i]))) key += line[i];
      ++i;
    }
    if (i < size) key += line[i];
  }
  while (!key.empty() && (key.back() == ' ' || key.back() == '\t'))
    key.pop_back();
  return key;
}

LinkedCode linkCode(const std::string& marked, CodeForm form) {
  switch (form) {
  case CodeForm::LlvmIr:
    return linkLlvmIr(marked);
  case CodeForm::Assembly:
    return linkAssembly(marked);
  case CodeForm::CudaC:
    return linkCudaC(marked);
  case CodeForm::Ptx:
    return linkPtx(marked);
  case CodeForm::Sass:
    return linkSass(marked);
  }
  return {};
}

IrCost costOf(const LinkedCode& assembly, const std::vector<IrLine>& ir) {
  IrCost cost;
  cost.share.assign(ir.size(), 0);
  cost.instructions.assign(ir.size(), 0);
  double total = 0;
  for (const int line : assembly.irLine) {
    if (line < 0 || line >= static_cast<int>(ir.size())) continue;
    const auto at = static_cast<std::size_t>(line);
    ++cost.instructions[at];
    cost.share[at] += ir[at].executions;
    total += ir[at].executions;
  }
  if (total <= 0) return cost;
  for (double& share : cost.share)
    share /= total;
  double most = 0;
  for (std::size_t i = 0; i < ir.size(); ++i) {
    if (!ir[i].innermost) continue;
    double inside = 0;
    for (int j = static_cast<int>(i); j < ir[i].end; ++j)
      inside += cost.share[static_cast<std::size_t>(j)];
    if (inside > most) most = inside, cost.hottestLoop = static_cast<int>(i);
  }
  return cost;
}

} // namespace nestwright
