#pragma once
/// \file The room where the panels lie: docks only, no fixed middle. Arranges them by named layout,
/// remembers arrangements, and can give one panel all the room.

#include "ui/kit/layout.h"
#include "ui/window/panel.h"
#include "ui/window/panels.h"

#include <QByteArray>
#include <QMainWindow>
#include <QStringList>

#include <vector>

class QTabBar;

namespace nestwright::ui {

class PanelHost : public QMainWindow {
  Q_OBJECT
 public:
  /// Makes all views of the document.
  PanelHost(Document& document, const std::vector<PanelSpec>& specs, QWidget* parent = nullptr);

  const std::vector<Panel*>& panels() const { return panels_; }
  /// By its own name (PanelSpec) or that of one of its views (ViewSpec); null when there is none.
  Panel* panel(const QString& name) const;
  /// All views, wherever they lie.
  std::vector<PanelView> views() const;
  /// The view of this class, wherever it lies; null when no panel has one.
  template <class View>
  View* view() const {
    for (const PanelView& view : views())
      if (auto* found = dynamic_cast<View*>(view.widget)) return found;
    return nullptr;
  }
  /// The one that has the keyboard, else the one that had it last; null at first.
  Panel* current() const { return current_; }
  /// The current one if it is shown; before anything was clicked what a session is mostly looked at
  /// with. Null when no panel is shown.
  Panel* panelInUse() const;
  /// Shows the panel, brings its tab to the front and gives it the keyboard.
  void raise(Panel* panel);
  /// The same for a panel or a view of this name, which is then the one that is seen in its panel.
  void raise(const QString& name);
  using QMainWindow::raise;

  void arrange(Layout layout);
  /// Where everything is, to be given to restore() in this or a later run.
  QByteArray arrangement() const;
  /// False, and nothing changes, when the bytes are not an arrangement. Panels that are newer than
  /// the arrangement stay hidden; what is no panel any more is left out.
  bool restore(const QByteArray& arrangement);

  /// Gives the panel all the room, or, when one has it, everything its place again.
  void toggleMaximised(Panel* panel);
  Panel* maximised() const { return maximised_; }

  /// Whether there is a document to look at. Floating panels, which are windows of their own, go
  /// and come with it.
  bool isInUse() const { return inUse_; }
  void setInUse(bool inUse);

 Q_SIGNALS:
  void maximisedChanged();
  /// A menu for the panel was asked for.
  void menuRequested(Panel* panel, const QPoint& globalPosition);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showThoseWithData();
  void setFloatingShown(bool shown);
  void watchTabs();
  void updateTitles();
  void endMaximised();
  void place(const std::vector<Panel*>& tabs, Panel* besides, Qt::Orientation orientation);
  /// Puts the others behind the first as tabs.
  void stack(const std::vector<Panel*>& tabs);
  void resizeColumns(const std::array<std::vector<Panel*>, 6>& groups, const Proportions& sizes);
  Panel* panelOfTab(const QTabBar* bar, int tab) const;

  Document& document_;
  std::vector<PanelSpec> specs_;
  std::vector<Panel*> panels_;
  Panel *current_ = nullptr, *maximised_ = nullptr;
  QByteArray beforeMaximised_;
  QStringList shownBefore_;
  QStringList waiting_; // panels that come once there is something to see in them
  bool inUse_ = false;
  std::vector<Panel*> hiddenFloating_;
};

} // namespace nestwright::ui
