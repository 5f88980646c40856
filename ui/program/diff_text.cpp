#include "ui/program/diff_text.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

/// The words of core, with the sides' letters.
QString summaryOf(const std::vector<DiffRow>& rows, const char* what) {
  return qs(diffSummary(rows, what))
      .replace(QStringLiteral("only left"), tr("only in A"))
      .replace(QStringLiteral("only right"), tr("only in B"));
}

CodeLine gap(DiffMark mark) {
  CodeLine line;
  line.mark = mark;
  return line;
}

/// Puts the lines of both sides where the rows say.
DiffText aligned(const std::vector<DiffRow>& rows, const std::vector<CodeLine>& a,
                 const std::vector<CodeLine>& b, const char* what) {
  DiffText text;
  text.a.reserve(rows.size());
  text.b.reserve(rows.size());
  for (const DiffRow& row : rows) {
    CodeLine& left =
        text.a.emplace_back(row.left < 0 ? gap(row.mark) : a[static_cast<std::size_t>(row.left)]);
    CodeLine& right =
        text.b.emplace_back(row.right < 0 ? gap(row.mark) : b[static_cast<std::size_t>(row.right)]);
    left.mark = right.mark = row.mark;
    if (row.mark == DiffMark::Changed) markChange(left, right);
  }
  text.summary = summaryOf(rows, what);
  return text;
}

std::vector<CodeLine> nestLines(const LoopTree& tree) {
  std::vector<CodeLine> lines;
  for (const LoopNode& node : tree.nodes) {
    CodeLine& line = lines.emplace_back();
    line.text = QString(qsizetype(2) * node.depth, QLatin1Char(' ')) + qs(node.line());
    line.number = static_cast<int>(lines.size());
  }
  return lines;
}

std::vector<CodeLine> stepLines(const ProgramText& program) {
  std::vector<CodeLine> lines;
  for (const NamedStep& step : program.stepList) {
    CodeLine& line = lines.emplace_back();
    line.text = qs(step.words);
    line.number = static_cast<int>(lines.size()) - 1; // as steps call one another
  }
  return lines;
}

std::vector<CodeLine> linkedLines(const LinkedCode& code) {
  std::vector<CodeLine> lines = codeLines(code.lines);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i].link = code.irLine[i];
  return lines;
}

} // namespace

std::vector<int> DiffText::starts() const {
  std::vector<int> rows;
  bool before = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool differs = a[i].mark != DiffMark::Same;
    if (differs && !before) rows.push_back(static_cast<int>(i));
    before = differs;
  }
  return rows;
}

DiffText diffLoopNests(const ProgramText& a, const ProgramText& b) {
  const std::vector<LoopDiffRow> diff = diffLoopTrees(a.tree(), b.tree());
  std::vector<DiffRow> rows;
  for (const LoopDiffRow& row : diff)
    rows.push_back(row.row);
  DiffText text = aligned(rows, nestLines(a.tree()), nestLines(b.tree()), "line");
  for (std::size_t i = 0; i < diff.size(); ++i)
    if (!diff[i].differences.empty())
      text.a[i].tip = text.b[i].tip = tr("From A to B: %1.").arg(qs(diff[i].differences));
  return text;
}

DiffText diffStepLists(const ProgramText& a, const ProgramText& b) {
  return aligned(diffSteps(a.stepList, b.stepList), stepLines(a), stepLines(b), "step");
}

DiffText diffLoopIr(const LoweredProgram& a, const LoweredProgram& b) {
  static const std::vector<std::string> kNone;
  const auto& left = a.passes.empty() ? kNone : a.passes.back().lines;
  const auto& right = b.passes.empty() ? kNone : b.passes.back().lines;
  return aligned(diffLines(left, right), codeLines(left), codeLines(right), "line");
}

DiffText diffCode(const ShownCode& a, const ShownCode& b) {
  const auto keys = [](const ShownCode& shown) {
    std::vector<std::string> result;
    result.reserve(shown.code.lines.size());
    for (const std::string& line : shown.code.lines)
      result.push_back(codeKey(line, shown.form));
    return result;
  };
  return aligned(diffLines(keys(a), keys(b)), linkedLines(a.code), linkedLines(b.code), "line");
}

DiffText onlyDifferences(const DiffText& text, int context) {
  const int count = static_cast<int>(text.a.size());
  std::vector<bool> kept(text.a.size(), false);
  for (int i = 0; i < count; ++i) {
    if (text.a[static_cast<std::size_t>(i)].mark == DiffMark::Same) continue;
    for (int j = std::max(0, i - context); j <= std::min(count - 1, i + context); ++j)
      kept[static_cast<std::size_t>(j)] = true;
  }
  DiffText result;
  result.summary = text.summary;
  int left = 0;
  const auto close = [&] {
    if (left == 0) return;
    CodeLine line;
    line.text = countedText(left, tr("⋯ an equal line"), tr("⋯ %1 equal lines"));
    result.a.push_back(line);
    result.b.push_back(line);
    left = 0;
  };
  for (std::size_t i = 0; i < text.a.size(); ++i) {
    if (!kept[i]) {
      ++left;
      continue;
    }
    close();
    result.a.push_back(text.a[i]);
    result.b.push_back(text.b[i]);
  }
  close();
  return result;
}

} // namespace nestwright::ui
