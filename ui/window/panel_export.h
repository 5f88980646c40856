#pragma once
/// \file What the panels give away: to files, to the clipboard, and as tables in windows of their
/// own.

#include "core/support/row_id.h"
#include "ui/kit/exportable.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

class QAction;
class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
struct ExportJob;
class Panel;
class PanelHost;

class PanelExport : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  PanelExport(Document& document, PanelHost& host, Actions& actions, QWidget* window);

  Exports exportsOf(Panel* panel) const;
  /// Writes the panel of this name (PanelSpec::name) to a file, by its ending; `done` gets why it
  /// failed, or an empty text.
  void write(const QString& panel, const QString& file, std::function<void(const QString&)> done);
  void ask(Panel* panel);
  /// Without asking: a new file in the folder that was used last.
  void saveSvg(Panel* panel);
  /// To the clipboard, as this action of `Actions` says.
  void copy(Panel* panel, QAction* form);
  /// One window for each panel; a second wish brings it up to date.
  void showTable(Panel* panel);

  QAction* svg() const { return svg_; }

 Q_SIGNALS:
  /// That something was done.
  void told(const QString& text);
  /// A record was opened in a table.
  void recordOpened(nestwright::RowId record);

 private:
  void writeAndTell(Panel* panel, const QString& file);
  void showProgress(const QString& file, const std::shared_ptr<ExportJob>& job);

  Document& document_;
  PanelHost& host_;
  Actions& actions_;
  QAction* svg_;
  QWidget* window_;
};

} // namespace nestwright::ui
