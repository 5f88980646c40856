#pragma once
/// \file Cost models compared on a data set: what searches get from each on every network, two of
/// them task by task, the tasks that a model is worst on, and what more data brings.

#include "ui/kit/background.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/lab/judged.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class Document;
class FigureTable;
class FileList;
class LearningCurvesPage;
class TwoModelsPage;
class WorstTasksPage;

class ModelsView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  enum class Page : std::uint8_t { Networks, TwoModels, WorstTasks, LearningCurves };

  explicit ModelsView(Document& document, QWidget* parent = nullptr);

  /// What models are judged on, from now on.
  void setChoice(const DataChoice& choice);
  /// Files, or sessions as "a.nwdb#2".
  void addModels(const QStringList& models);
  QStringList models() const;
  void compare();
  /// Null before there is one.
  const Judged& judged() const { return look_.judged; }
  bool isBusy() const { return judging_.isBusy(); }
  void showPage(Page page);
  Page page() const;
  /// Looks at a task of the comparison; -1: at none.
  void chooseTask(int task);
  int task() const { return look_.task; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

  // For tests.
  FigureTable* figures() const { return figures_; }
  TwoModelsPage* twoModels() const { return twoModels_; }
  WorstTasksPage* worstTasks() const { return worstTasks_; }
  LearningCurvesPage* learningCurves() const { return learningCurves_; }
  QComboBox* favourites() const { return k_; }
  FileList* list() const { return list_; }
  QString words() const;

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void offerRemoval();
  QWidget* buildBar();
  void fillSessions();
  void showList();
  void removeModels();
  void changed();
  void take(Judgement judgement);
  void say();
  void showLook();
  void restyle();

  Document& document_;
  DataChoice choice_;
  QStringList models_;
  QToolButton *add_, *sessions_, *remove_, *compare_, *cancel_;
  QMenu* sessionMenu_;
  FileList* list_;
  QLineEdit* networks_;
  QComboBox* k_;
  QProgressBar* busy_;
  QLabel *state_, *notes_;
  FigureTable* figures_;
  TwoModelsPage* twoModels_;
  WorstTasksPage* worstTasks_;
  LearningCurvesPage* learningCurves_;
  QTabWidget* pages_;
  JudgedLook look_;
  bool stale_ = false; // models or data are others than those judged
  QString doing_;      // while it compares
  QString problem_;    // why the last comparison failed
  Background judging_; // last: its thread ends before the others go
};

} // namespace nestwright::ui
