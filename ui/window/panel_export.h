#pragma once
/// \file What the panels give away: to files, to the clipboard, and as tables in windows of their
/// own.

#include "core/support/row_id.h"
#include "ui/kit/exportable.h"
#include "ui/window/panel.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

class QAction;
class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
struct ExportJob;
class PanelHost;

class PanelExport : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  PanelExport(Document& document, PanelHost& host, Actions& actions, QWidget* window);

  /// A view that is in no panel can be written, too.
  void offer(const PanelView& view) { others_.push_back(view); }

  /// Of the view that is in front.
  Exports exportsOf(Panel* panel) const;
  /// Writes the view of this name (ViewSpec::name) to a file, by its ending; `done` gets why it
  /// failed, or an empty text.
  void write(const QString& panel, const QString& file, std::function<void(const QString&)> done);
  void ask(Panel* panel);
  /// Without asking: a new file in the folder that was used last.
  void saveSvg(Panel* panel);
  /// To the clipboard, as this action of `Actions` says.
  void copy(Panel* panel, QAction* form);
  /// One window for each panel, until another document is opened; a second wish brings it up to
  /// date.
  void showTable(Panel* panel);

  QAction* svg() const { return svg_; }

 Q_SIGNALS:
  /// That something was done.
  void told(const QString& text);
  /// A record was opened in a table.
  void recordOpened(nestwright::RowId record);

 private:
  std::vector<PanelView> all() const;
  Exports exportsOf(const PanelView& view) const;
  void writeAndTell(Panel* panel, const QString& file);
  void showProgress(const QString& file, const std::shared_ptr<ExportJob>& job);

  Document& document_;
  PanelHost& host_;
  Actions& actions_;
  QAction* svg_;
  QWidget* window_;
  std::vector<PanelView> others_;
};

} // namespace nestwright::ui
