#pragma once
/// \file Two texts side by side that scroll together: what differs is marked, and can be gone
/// through.

#include "ui/kit/code_view.h"
#include "ui/program/diff_text.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace nestwright::ui {

class DiffPage : public QWidget {
  Q_OBJECT
 public:
  explicit DiffPage(CodeLanguage language, QWidget* parent = nullptr);

  void show(DiffText text);
  void setLanguages(CodeLanguage a, CodeLanguage b);
  void setReductions(const QSet<QString>& a, const QSet<QString>& b);
  /// In place of the texts: why there is nothing to compare, or what is being done.
  void showMessage(const QString& message);
  void next(bool forward);
  /// Both sides as text, side by side: "= left | right".
  QString text() const;

  CodeView* a() const { return a_; }
  CodeView* b() const { return b_; }
  const DiffText& diff() const { return diff_; }
  QLabel* summary() const { return summary_; }

 private:
  void refresh();

  DiffText diff_;
  std::vector<int> starts_; // in what is shown
  CodeView *a_, *b_;
  QLabel* summary_;
  QToolButton *only_, *previous_, *next_;
};

} // namespace nestwright::ui
