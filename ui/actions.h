#pragma once
/// \file Every command of the window as an action: text, shortcut, tool tip, icon, and when it can
/// be used. Menus and tool bars only show them.

#include <QObject>

#include <vector>

class QAction;

namespace nestwright::ui {

class Document;

class Actions : public QObject {
  Q_OBJECT
 public:
  explicit Actions(Document& document, QObject* parent = nullptr);

  // Sessions and documents; connected by the window.
  QAction *newSession, *open, *close, *quit;
  // The running session; connected to the document.
  QAction *start, *pause, *stop, *moreTrials;
  // Looks.
  QAction *zoomIn, *zoomOut, *zoomReset, *themeSystem, *themeLight, *themeDark, *resetLayout;
  QAction* selectNone;
  // Help.
  QAction *shortcuts, *about;

  /// All of them, for the list of shortcuts.
  const std::vector<QAction*>& all() const { return all_; }

 private:
  QAction* add(const QString& text, const char* icon, const QKeySequence& shortcut,
               const QString& toolTip);
  void addSession();
  void addView();
  void refresh();
  void refreshIcons();

  Document& document_;
  std::vector<QAction*> all_;
};

} // namespace nestwright::ui
