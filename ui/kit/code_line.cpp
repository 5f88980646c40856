#include "ui/kit/code_line.h"

#include "ui/kit/colours.h"
#include "ui/kit/text.h"

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
  // Blocks, threads and virtual threads share their iterations out, as cores do.
  if (keyword == QLatin1String("vthread") || keyword.contains(QLatin1String("Idx.")))
    return c.parallel;
  return c.dim;
}

/// "parallel i.0 (0,8)" and "parallel i.0 in [0, 8)"; what only GPU programs have: "launch C with
/// blockIdx.x in [0, 8)" and "barrier".
Tokens loopTokens(const QString& line, const QSet<QString>& reductions) {
  static const QRegularExpression kLoop(QStringLiteral(
      R"(^\s*(for|parallel|vectorized?|unroll(?:ed)?|vthread|\S+Idx\.[xyz])\s+(\S+)\s+((?:in \[|\().*)$)"));
  static const QRegularExpression kLaunch(QStringLiteral(R"(^\s*(launch)\s+(.+?)\s+(with .*)$)"));
  static const QRegularExpression kBarrier(QStringLiteral(R"(^\s*(barrier)$)"));
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
  } else if (const auto launch = kLaunch.match(line); launch.hasMatch()) {
    add(tokens, launch, 1, c.parallel, true);
    add(tokens, launch, 3, c.dim);
  } else if (const auto barrier = kBarrier.match(line); barrier.hasMatch()) {
    add(tokens, barrier, 1, c.waiting, true);
  } else if (const auto other = kOther.match(line); other.hasMatch()) {
    add(tokens, other, 1, other.captured(1).contains(QLatin1String("unroll")) ? c.unroll : c.dim,
        other.captured(1).contains(QLatin1String("unroll")));
  }
  return tokens;
}

/// What is coloured in the code of a language.
struct CodeStyle {
  QRegularExpression comment, label;
  QRegularExpression directive; // colours the whole line; nothing else is looked for in it
  struct Words {
    QRegularExpression pattern;
    QColor Colours::*colour;
    bool bold = false;
  };
  std::vector<Words> words;
};

QRegularExpression pattern(const char* text) {
  return QRegularExpression(QString::fromLatin1(text));
}

/// Matches nothing.
QRegularExpression none() {
  return pattern("(?!)");
}

/// Vectors are in the colour of vectorised loops, what threads wait at in that of waiting.
const CodeStyle& styleOf(CodeLanguage language) {
  static const CodeStyle kLlvm{pattern(";.*$"),
                               pattern(R"(^[^\s;#][^\s]*:)"),
                               none(),
                               {{pattern(R"(<\d+ x \w+>)"), &Colours::vector}}};
  static const CodeStyle kAssembly{pattern("#.*$"),
                                   pattern(R"(^[^\s;#][^\s]*:)"),
                                   pattern(R"(^\s*(\.[a-zA-Z_].*)$)"),
                                   {{pattern(R"(%[xyz]mm\d+)"), &Colours::vector}}};
  static const CodeStyle kCuda{
      pattern(R"(//.*$|/\*.*?\*/)"),
      none(),
      none(),
      {{pattern(R"(^\s*#\s*pragma unroll\b.*$)"), &Colours::unroll},
       {pattern(R"(^\s*#.*$)"), &Colours::dim},
       {pattern(R"(\b__sync(?:threads|warp)\b\w*|\bbarrier\b)"), &Colours::waiting, true},
       {pattern(R"(\b(?:nw_shuffle_\w+|__shfl\w*)\b)"), &Colours::waiting},
       {pattern(R"(\b(?:blockIdx|threadIdx|blockDim|gridDim)\.[xyz])"), &Colours::parallel},
       {pattern(R"(\bnw_(?:load|store|vec|splat)\b(?:<[^<>]*>)?|\b(?:float|int|uint)[24]\b)"),
        &Colours::vector},
       {pattern(R"(\b__(?:global|shared|device|restrict|launch_bounds|align|forceinline)__)"),
        &Colours::dim}}};
  static const CodeStyle kC{
      pattern(R"(//.*$|/\*.*?\*/)"),
      none(),
      none(),
      {{pattern(R"(^\s*#\s*pragma GCC unroll\b.*$)"), &Colours::unroll},
       {pattern(R"(^\s*#\s*pragma omp\b.*$|\bTHREAD\b)"), &Colours::parallel},
       {pattern(R"(^\s*#.*$)"), &Colours::dim},
       {pattern(R"(\bLANES\b|\b[fi]\d+x\d+\b)"), &Colours::vector},
       {pattern(R"(\b(?:restrict|static|inline|const)\b|__attribute__.*$)"), &Colours::dim}}};
  static const CodeStyle kPtx{
      pattern(R"(//.*$)"),
      pattern(R"(^\s*\$?\w+:)"),
      pattern(R"(^\s*(\.(?!visible|entry|func)[a-zA-Z_].*)$)"),
      {{pattern(R"(^\s*\.(?:visible|entry|func)\b)"), &Colours::dim},
       {pattern(R"(\b(?:bar|barrier)(?:\.\w+)+)"), &Colours::waiting, true},
       {pattern(R"(\bshfl(?:\.\w+)+)"), &Colours::waiting},
       {pattern(R"(%(?:n?ctaid|n?tid)\.[xyz])"), &Colours::parallel},
       {pattern(R"(\b(?:ld|st)(?:\.\w+)*\.v[248](?:\.\w+)*)"), &Colours::vector},
       {pattern(R"(\b(?:mma|wgmma|ldmatrix|cp\.async)(?:\.\w+)*)"), &Colours::vector}}};
  static const CodeStyle kSass{
      pattern(R"(/\*.*?\*/|//.*$)"),
      pattern(R"(^\s*\.?[\w$.]+:)"),
      pattern(R"(^\s*(\.[a-zA-Z_].*)$)"),
      {{pattern(R"(\b(?:BAR|WARPSYNC|BSYNC|DEPBAR|LDGDEPBAR)(?:\.\w+)*)"), &Colours::waiting, true},
       {pattern(R"(\bSHFL(?:\.\w+)*)"), &Colours::waiting},
       {pattern(R"(\bSR_(?:CTAID|TID)\.[XYZ])"), &Colours::parallel},
       {pattern(R"(\b(?:LD|ST)[GSL]?(?:\.\w+)*\.(?:64|128)\b)"), &Colours::vector},
       {pattern(R"(\b(?:HMMA|LDSM|LDGSTS|HGMMA)(?:\.\w+)*)"), &Colours::vector}}};
  switch (language) {
  case CodeLanguage::Llvm:
    return kLlvm;
  case CodeLanguage::C:
    return kC;
  case CodeLanguage::Cuda:
    return kCuda;
  case CodeLanguage::Ptx:
    return kPtx;
  case CodeLanguage::Sass:
    return kSass;
  default:
    return kAssembly;
  }
}

/// All that match, in the colour; of those that overlap the one that came first stays.
void addAll(Tokens& tokens, const QRegularExpression& what, const QString& line,
            const QColor& colour, bool bold = false) {
  auto matches = what.globalMatch(line);
  while (matches.hasNext()) {
    const auto match = matches.next();
    const int begin = int(match.capturedStart()), end = int(match.capturedEnd());
    const bool isTaken = std::ranges::any_of(tokens, [&](const Token& token) {
      return token.begin < end && begin < token.begin + token.length;
    });
    if (!isTaken && end > begin) tokens.push_back({begin, end - begin, colour, bold});
  }
}

Tokens codeTokens(const QString& line, CodeLanguage language) {
  const Colours& c = colours();
  const CodeStyle& style = styleOf(language);
  Tokens tokens;
  addAll(tokens, style.comment, line, c.dim);
  if (const auto label = style.label.match(line); label.hasMatch()) {
    addAll(tokens, style.label, line, c.text, true);
  } else if (const auto directive = style.directive.match(line); directive.hasMatch()) {
    tokens.clear();
    add(tokens, directive, 1, c.dim);
    return tokens;
  }
  for (const CodeStyle::Words& words : style.words)
    addAll(tokens, words.pattern, line, c.*words.colour, words.bold);
  std::ranges::sort(tokens, {}, &Token::begin);
  return tokens;
}

/// Tabs become blanks up to the next multiple of eight columns.
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

} // namespace

std::vector<Token> tokensOf(const QString& line, CodeLanguage language,
                            const QSet<QString>& reductions) {
  switch (language) {
  case CodeLanguage::LoopNest:
  case CodeLanguage::LoopIr:
    return loopTokens(line, reductions);
  case CodeLanguage::C:
  case CodeLanguage::Llvm:
  case CodeLanguage::Assembly:
  case CodeLanguage::Cuda:
  case CodeLanguage::Ptx:
  case CodeLanguage::Sass:
    return codeTokens(line, language);
  case CodeLanguage::Text:
    break;
  }
  return {};
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
