#pragma once
/// \file A dockable panel with a quiet title; under a tab that already names it, it shows none. It
/// has one view, or some that stand behind tabs of its own.

#include <QDockWidget>

#include <vector>

class QLabel;
class QTabWidget;

namespace nestwright::ui {

/// A view in its panel.
struct PanelView {
  QString name, title; // as in ViewSpec
  QWidget* widget = nullptr;
};

class Panel : public QDockWidget {
  Q_OBJECT
 public:
  /// `name` without "Panel" at its end, as in PanelSpec; at least one view.
  Panel(const QString& name, const QString& title, std::vector<PanelView> views, QWidget* parent);

  const QString& name() const { return name_; }
  const std::vector<PanelView>& views() const { return views_; }
  /// The one that is in front.
  const PanelView& inFront() const;
  QWidget* view() const { return inFront().widget; }
  /// Brings the view of this name to the front; nothing happens when there is none.
  void bringToFront(const QString& view);
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
  QWidget* stacked();
  void buildTitle(const QString& title);
  void restyle();

  QString name_;
  std::vector<PanelView> views_;
  QTabWidget* tabs_ = nullptr; // null for a single view; of the first view if that has tabs
  QWidget* ownTab_ = nullptr;  // of the first view, if it has tabs: the one that was seen last
  QWidget* title_;
  QWidget* noTitle_;
  QLabel* label_;
};

} // namespace nestwright::ui
