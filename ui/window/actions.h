#pragma once
/// \file Every command of the window as an action: text, shortcut, tool tip, icon, and when it can
/// be used. Menus and tool bars only show them.

#include "ui/kit/layout.h"

#include <QObject>

#include <array>
#include <vector>

class QAction;

namespace nestwright::ui {

class Document;

class Actions : public QObject {
  Q_OBJECT
 public:
  explicit Actions(Document& document, QObject* parent = nullptr);

  // Sessions and documents; connected by the window.
  QAction *newSession, *newWindow, *open, *sample, *saveCopy, *close, *quit;
  // Undo and redo have the document's words.
  QAction *undo, *redo, *palette;
  // What the panel in use gives away; connected by the window.
  QAction *exportView, *copyImage, *copyTable, *copyMarkdown, *copyText, *printColours;
  QAction* showTable;
  // The running session; connected to the document.
  QAction *start, *pause, *stop, *tuneShortly, *moreTrials;
  // A session like this one; connected by the window.
  QAction *runAgain, *runChanged;
  QAction* measureAgain;  // programs of records; connected by the window
  QAction* workerCommand; // a setting of the person, connected by the window
  QAction* policyProgram; // likewise
  // Phase by phase, and the past; connected to the document.
  QAction *step, *stepping, *replay, *endReplay;
  // Looks.
  QAction *zoomIn, *zoomOut, *zoomReset, *themeSystem, *themeLight, *themeDark;
  QAction* selectNone;
  QAction* guidance;              // connected by the window
  std::array<QAction*, 2> scopes; // by Scope; shown where the file has several sessions
  // Panels; connected by the window.
  std::array<QAction*, kLayoutCount> layouts; // by Layout
  QAction *resetLayout, *saveLayout, *maximise;
  // Help.
  QAction *help, *helpIndex, *glossary, *shortcuts, *about;

  /// All of them, for the list of shortcuts and the command palette.
  const std::vector<QAction*>& all() const { return all_; }
  /// Makes one more action that is listed among all. `icon` is a name in resources/icons.
  QAction* add(const QString& text, const char* icon, const QKeySequence& shortcut,
               const QString& toolTip);

 private:
  void addSession();
  void addPhases();
  void addView();
  void addScopes();
  void addPanels();
  void addEdit();
  void refresh();
  void refreshPhases();
  void refreshScopes();
  void refreshIcons();

  Document& document_;
  std::vector<QAction*> all_;
};

} // namespace nestwright::ui
