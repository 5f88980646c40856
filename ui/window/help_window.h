#pragma once
/// \file The manual within the window (F1): pages of resources/help, one for each view, with index
/// and glossary.

#include <QDialog>
#include <QStringList>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;
class QHBoxLayout;

namespace nestwright::ui {

/// Names of the pages, without ".md", in the order of the index: the beginning, the views, the
/// rest.
QStringList helpPages();
/// First heading of the page; empty when there is no such page.
QString helpTitle(const QString& page);

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  explicit HelpWindow(QWidget* parent = nullptr);
  /// Shows the page of this name ("tasks", "glossary"), or the index when there is none; opens the
  /// window or brings it to the front. `heading` is scrolled to.
  void showPage(const QString& page, const QString& heading = {});
  /// Name of the page that is shown.
  QString page() const;

 private:
  void buildBar(QHBoxLayout* bar);
  void restyle();
  void follow();
  void showSource(const QString& page, const QString& heading);
  void filter(const QString& text);

  QListWidget* index_;
  QTextBrowser* browser_;
  QLineEdit* find_;
  QToolButton *back_, *forward_;
};

} // namespace nestwright::ui
