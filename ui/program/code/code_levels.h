#pragma once
/// \file A program's code at one of its levels, from loops to what is nearest to the machine, with
/// a switch between them.

#include <QWidget>

#include <vector>

class QButtonGroup;
class QStackedWidget;

namespace nestwright::ui {

class CodeLevels : public QWidget {
  Q_OBJECT
 public:
  explicit CodeLevels(QWidget* parent = nullptr);

  /// A further level below those that are there.
  void add(QWidget* page, const QString& name, const QString& tip);
  void setName(int level, const QString& name);
  QString name(int level) const;
  /// Whether it can be chosen; in place of the one that is shown the first is, where it cannot.
  void setOffered(int level, bool offered);
  bool isOffered(int level) const;
  int level() const;
  void showLevel(int level);

 Q_SIGNALS:
  void levelChanged();

 private:
  QButtonGroup* switch_;
  QWidget* row_;
  QStackedWidget* pages_;
};

} // namespace nestwright::ui
