#pragma once
/// \file Colours for printed loop nests: the kind of every loop, extents, and what is computed.

#include <QRegularExpression>
#include <QSet>
#include <QSyntaxHighlighter>

namespace nestwright::ui {

class LoopNestHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  explicit LoopNestHighlighter(QTextDocument* document);
  /// Loops that reduce are told apart from those that only repeat.
  void setReductionLoops(const QStringList& names);

 protected:
  void highlightBlock(const QString& line) override;

 private:
  QRegularExpression loop_, pragma_;
  QSet<QString> reductions_;
};

} // namespace nestwright::ui
