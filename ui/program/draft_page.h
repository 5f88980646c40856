#pragma once
/// \file What the selected program spends its time on by the draft: of each stage, or of each
/// kernel of a GPU's program, the parts of the machine that it keeps busy, in words and as a table.

#include "core/search/draft/drafted_work.h"
#include "ui/kit/table/column_model.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace nestwright::ui {

/// A stage or a kernel, or one of its parts.
struct DraftRow {
  QString name;
  bool isPart = false;
  double clocks = 0;
  double share = 1;              // of its stage or kernel
  std::optional<double> seconds; // where they can be told
};

std::vector<DraftRow> draftRows(const std::vector<DraftedWork>& work, const TargetFacts& target);
/// One or two sentences. `measured` in seconds; 0: it was not.
QString draftInWords(const std::vector<DraftedWork>& work, const TargetFacts& target,
                     double measured);

class DraftModel : public TableModel<DraftRow> {
  Q_OBJECT
 public:
  explicit DraftModel(QObject* parent = nullptr);
  void show(std::vector<DraftRow> rows) { setRows(std::move(rows)); }
};

class DraftPage : public QWidget {
  Q_OBJECT
 public:
  explicit DraftPage(QWidget* parent = nullptr);
  void show(const std::vector<DraftedWork>& work, const TargetFacts& target, double measured);
  /// Why there is none; nothing: no program.
  void showProblem(const QString& why);

  QLabel* words() const { return words_; }
  DraftModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  /// The words and the table.
  QString text() const;

 private:
  QLabel* words_;
  DraftModel* model_;
  QTableView* table_;
};

} // namespace nestwright::ui
