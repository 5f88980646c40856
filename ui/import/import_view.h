#pragma once
/// \file The import: how far it is, which logs were read, and which of their lines are broken and
/// why. Of the logs that were imported long ago, too.

#include "core/record/intake/import_report.h"
#include "ui/kit/background.h"
#include "ui/kit/exportable.h"

#include <QElapsedTimer>
#include <QWidget>

#include <vector>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class ImportProblemModel;
class ImportSourceModel;
struct ImportProblemRow;

class ImportView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  explicit ImportView(Document& document, QWidget* parent = nullptr);
  Exports exports() override;

  // For tests.
  ImportSourceModel* sources() const { return sources_; }
  ImportProblemModel* problems() const { return problems_; }
  QTableView* problemTable() const { return problemTable_; }
  QToolButton* pauseButton() const { return pause_; }
  QToolButton* resumeButton() const { return resume_; }
  QString stateText() const;
  QString lineText() const;

 Q_SIGNALS:
  /// Files, or a folder, are to be chosen.
  void importRequested(bool folder);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// What the file says, read beside everything else.
  struct FromFile {
    std::vector<ImportSource> sources;
    std::vector<SourceProblem> problems; // after those that are shown
    bool fresh = false;                  // all of them
  };
  QWidget* buildHead();
  QWidget* buildTables();
  bool isHere() const;
  void showState();
  void restyle();
  void fitColumns();
  void read(bool fresh);
  void take(FromFile found);
  void readMore();
  void showLine(const QModelIndex& row);
  void resume();

  Document& document_;
  ImportSourceModel* sources_;
  ImportProblemModel* problems_;
  QTableView *sourceTable_, *problemTable_;
  QLabel *state_, *figures_, *problemTitle_, *lineTitle_, *empty_;
  QProgressBar* progress_;
  QToolButton *import_, *folder_, *pause_, *resume_, *pauseSession_;
  QPlainTextEdit* line_;
  QWidget* tables_;
  std::vector<ImportProblemRow> whole_; // logs that could not be read, of the last import
  SourceProblem last_;                  // shown
  bool more_ = false, stale_ = true;
  QElapsedTimer sinceRead_;
  Background reading_, lines_;
};

} // namespace nestwright::ui
