#include "ui/program/loop_nest_highlighter.h"

#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

namespace nestwright::ui {

LoopNestHighlighter::LoopNestHighlighter(QTextDocument* document)
    : QSyntaxHighlighter(document),
      loop_(QStringLiteral(
          R"(^(\s*)(for|parallel|vectorize|unroll|vthread|\S+Idx\.[xyz])\s+(\S+)\s*(\(.*\))?)")),
      pragma_(QStringLiteral(R"(auto_unroll:\s*\d+)")) {
  connect(&Theme::instance(), &Theme::changed, this, &QSyntaxHighlighter::rehighlight);
}

void LoopNestHighlighter::setReductionLoops(const QStringList& names) {
  reductions_ = QSet<QString>(names.begin(), names.end());
}

void LoopNestHighlighter::highlightBlock(const QString& line) {
  const Colours& c = colours();
  const QRegularExpressionMatch loop = loop_.match(line);
  if (loop.hasMatch()) {
    const QString keyword = loop.captured(2);
    QTextCharFormat kind;
    kind.setForeground(keyword == QLatin1String("parallel")    ? c.parallel
                       : keyword == QLatin1String("vectorize") ? c.vector
                       : keyword == QLatin1String("unroll")    ? c.unroll
                       : keyword == QLatin1String("for")       ? c.dim
                                                               : c.parallel); // blocks, threads
    if (keyword != QLatin1String("for")) kind.setFontWeight(QFont::Bold);
    setFormat(int(loop.capturedStart(2)), int(loop.capturedLength(2)), kind);
    if (reductions_.contains(loop.captured(3)))
      setFormat(int(loop.capturedStart(3)), int(loop.capturedLength(3)), c.reduction);
    if (loop.capturedLength(4) > 0)
      setFormat(int(loop.capturedStart(4)), int(loop.capturedLength(4)), c.dim);
    return;
  }
  const QRegularExpressionMatch pragma = pragma_.match(line);
  if (pragma.hasMatch())
    setFormat(int(pragma.capturedStart()), int(pragma.capturedLength()), c.unroll);
  else if (line.startsWith(QLatin1String("Placeholder")))
    setFormat(0, int(line.size()), c.dim);
}

} // namespace nestwright::ui

#include "moc_loop_nest_highlighter.cpp"
