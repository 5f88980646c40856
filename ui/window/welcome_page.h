#pragma once
/// \file What is seen without a document: the ways to begin, guided tours, and the files used last.

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
  /// By Tour::name.
  void tourRequested(const QString& tour);

 private:
  void restyle();

  QWidget* buildTours(QWidget* parent);

  QLabel *title_, *claim_, *recentTitle_, *toursTitle_, *hint_;
  QListWidget* recent_;
};

} // namespace nestwright::ui
