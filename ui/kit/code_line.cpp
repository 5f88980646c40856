#include "ui/kit/code_line.h"

#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QRegularExpression>

#include <algorithm>

namespace nestwright::ui {
namespace {

using Tokens = std::vector<Token>;

void add(Tokens& tokens, const QRegularExpressionMatch& match, int group, const QColor& colour,
         bool bold = false) {
  if (match.capturedLength(group) > 0)
    tokens.push_back(
        {int(match.capturedStart(group)), int(match.capturedLength(group)), colour, bold});
}

QColor colourOf(const QString& keyword) {
  const Colours& c = colours();
  if (keyword == QLatin1String("parallel")) return c.parallel;
  if (keyword.startsWith(QLatin1String("vectorize"))) return c.vector;
  if (keyword.startsWith(QLatin1String("unroll"))) return c.unroll;
  return c.dim;
}

/// "parallel i.0 (0,8)" and "parallel i.0 in [0, 8)".
Tokens loopTokens(const QString& line, const QSet<QString>& reductions) {
  static const QRegularExpression kLoop(QStringLiteral(
      R"(^\s*(for|parallel|vectorized?|unroll(?:ed)?|vthread|\S+Idx\.[xyz])\s+(\S+)\s+((?:in \[|\().*)$)"));
  static const QRegularExpression kOther(
      QStringLiteral(R"(^\s*(allocate|if|Placeholder:|\S+ (?:auto_unroll|storage_offset):)(.*)$)"));
  const Colours& c = colours();
  Tokens tokens;
  if (const auto loop = kLoop.match(line); loop.hasMatch()) {
    const QString keyword = loop.captured(1);
    add(tokens, loop, 1, colourOf(keyword), keyword != QLatin1String("for"));
    QString name = loop.captured(2);
    if (reductions.contains(name)) add(tokens, loop, 2, c.reduction);
    add(tokens, loop, 3, c.dim);
  } else if (const auto other = kOther.match(line); other.hasMatch()) {
    add(tokens, other, 1, other.captured(1).contains(QLatin1String("unroll")) ? c.unroll : c.dim,
        other.captured(1).contains(QLatin1String("unroll")));
  }
  return tokens;
}

/// Comments, labels, directives; vectors in the colour of vectorised loops.
Tokens codeTokens(const QString& line, CodeLanguage language) {
  static const QRegularExpression kLabel(QStringLiteral(R"(^[^\s;#][^\s]*:)"));
  static const QRegularExpression kDirective(QStringLiteral(R"(^\s*(\.[a-zA-Z_].*)$)"));
  static const QRegularExpression kWideRegister(QStringLiteral(R"(%[xyz]mm\d+)"));
  static const QRegularExpression kVectorType(QStringLiteral(R"(<\d+ x \w+>)"));
  const Colours& c = colours();
  const bool assembly = language == CodeLanguage::Assembly;
  const qsizetype comment = line.indexOf(assembly ? QLatin1Char('#') : QLatin1Char(';'));
  Tokens tokens;
  if (const auto label = kLabel.match(line); label.hasMatch()) {
    add(tokens, label, 0, c.text, true);
  } else if (const auto directive = kDirective.match(line); assembly && directive.hasMatch()) {
    add(tokens, directive, 1, c.dim);
    return tokens;
  }
  auto wide = (assembly ? kWideRegister : kVectorType).globalMatch(line);
  while (wide.hasNext()) {
    const auto match = wide.next();
    if (comment >= 0 && match.capturedStart() >= comment) break;
    add(tokens, match, 0, c.vector);
  }
  if (comment >= 0 && (tokens.empty() || tokens.back().begin + tokens.back().length <= comment))
    tokens.push_back({int(comment), int(line.size() - comment), c.dim, false});
  return tokens;
}

} // namespace

std::vector<Token> tokensOf(const QString& line, CodeLanguage language,
                            const QSet<QString>& reductions) {
  switch (language) {
  case CodeLanguage::LoopNest:
  case CodeLanguage::LoopIr:
    return loopTokens(line, reductions);
  case CodeLanguage::Llvm:
  case CodeLanguage::Assembly:
    return codeTokens(line, language);
  case CodeLanguage::Text:
    break;
  }
  return {};
}

QString withoutTabs(const QString& text) {
  constexpr int kTab = 8;
  if (!text.contains(QLatin1Char('\t'))) return text;
  QString result;
  for (const QChar c : text)
    if (c == QLatin1Char('\t'))
      result.append(QString(kTab - result.size() % kTab, QLatin1Char(' ')));
    else
      result.append(c);
  return result;
}

std::vector<CodeLine> codeLines(const std::vector<std::string>& lines) {
  std::vector<CodeLine> result;
  result.reserve(lines.size());
  for (const std::string& line : lines) {
    CodeLine& code = result.emplace_back();
    code.text = withoutTabs(qs(line));
    code.number = static_cast<int>(result.size());
  }
  return result;
}

std::vector<CodeLine> codeLines(const QString& text) {
  std::vector<CodeLine> result;
  if (text.isEmpty()) return result;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    CodeLine& code = result.emplace_back();
    code.text = withoutTabs(line);
    code.number = static_cast<int>(result.size());
  }
  if (result.back().text.isEmpty()) result.pop_back();
  return result;
}

void markChange(CodeLine& left, CodeLine& right) {
  const qsizetype shorter = std::min(left.text.size(), right.text.size());
  qsizetype begin = 0, end = 0;
  while (begin < shorter && left.text[begin] == right.text[begin])
    ++begin;
  while (end < shorter - begin &&
         left.text[left.text.size() - 1 - end] == right.text[right.text.size() - 1 - end])
    ++end;
  left.changedFrom = right.changedFrom = int(begin);
  left.changedTo = int(left.text.size() - end);
  right.changedTo = int(right.text.size() - end);
}

} // namespace nestwright::ui
