#pragma once
/// \file What is seen without a document: the ways to begin, and the files used last.

#include <QWidget>

class QAction;
class QListWidget;
class QLabel;

namespace nestwright::ui {

class WelcomePage : public QWidget {
  Q_OBJECT
 public:
  /// The buttons show these actions.
  explicit WelcomePage(const QList<QAction*>& beginnings, QWidget* parent = nullptr);
  void refresh();

 Q_SIGNALS:
  void openRequested(const QString& path);

 private:
  void restyle();

  QLabel *title_, *claim_, *recentTitle_;
  QListWidget* recent_;
};

} // namespace nestwright::ui
