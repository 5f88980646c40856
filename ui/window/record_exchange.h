#pragma once
/// \file The window's commands that take records in and give them away: what is chosen, where it
/// goes, and the notice at the end. Child of the window, which finds it by its class.

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

class QAction;
class QDialog;

namespace nestwright::ui {

class DesktopNotice;
class ExportRecordsJob;
class ImportView;
class MainWindow;
struct RecordsToExport;

class RecordExchange : public QObject {
  Q_OBJECT
 public:
  /// Once the window has its panels.
  RecordExchange(MainWindow& window, DesktopNotice& notice);

  QList<QAction*> actions() const { return {import_, folder_, imported_, export_}; }
  /// Takes logs and documents into the open document, or into a new one: `database`, which is asked
  /// for when it is empty.
  void import(const QStringList& files, const QString& database = {});
  /// Writes records beside everything else; tells in the status line how that ended.
  void exportRecords(const RecordsToExport& what);
  /// The export under way, or the last one; null before the first.
  ExportRecordsJob* exporting() const { return job_.get(); }
  ImportView* view() const { return view_; }
  /// The progress of an import, and what was imported before: a dialog beside the window.
  void showImports();
  QDialog* dialog() const { return dialog_; }

 private:
  void askImport(bool folder);
  void askExport();
  void importEnded();
  void refresh();

  MainWindow& window_;
  DesktopNotice& notice_;
  QAction *import_, *folder_, *imported_, *export_;
  QDialog* dialog_;
  ImportView* view_;
  std::shared_ptr<ExportRecordsJob> job_;
};

} // namespace nestwright::ui
