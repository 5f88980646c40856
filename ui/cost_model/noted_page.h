#pragma once
/// \file What the pages of the cost model's view have in common: words above what they show.

#include <QString>
#include <QWidget>

class QLabel;

namespace nestwright::ui {

class NotedPage : public QWidget {
  Q_OBJECT
 public:
  explicit NotedPage(QWidget* parent);
  /// Puts this below the words. Once.
  void setContent(QWidget* content);
  /// What is said above; empty while nothing is.
  QString note() const;
  void setNote(const QString& text);

 protected:
  /// A line of words that wraps and can be selected.
  QLabel* makeLine();

 private:
  QLabel* note_;
};

} // namespace nestwright::ui
