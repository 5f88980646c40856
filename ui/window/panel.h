#pragma once
/// \file A dockable panel with a quiet title; under a tab that already names it, it shows none.

#include <QDockWidget>

class QLabel;

namespace nestwright::ui {

class Panel : public QDockWidget {
  Q_OBJECT
 public:
  /// `name` without "Panel" at its end, as in PanelSpec.
  Panel(const QString& name, const QString& title, QWidget* view, QWidget* parent);

  const QString& name() const { return name_; }
  QWidget* view() const { return view_; }
  /// To be called after panels were moved or put under one another's tabs.
  void updateTitle();

 Q_SIGNALS:
  /// The title was double-clicked, or its button pressed.
  void maximiseRequested();
  /// The title's menu button or the right mouse button was pressed.
  void menuRequested(const QPoint& globalPosition);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void buildTitle(const QString& title);
  void restyle();

  QString name_;
  QWidget* view_;
  QWidget* title_;
  QWidget* noTitle_;
  QLabel* label_;
};

} // namespace nestwright::ui
