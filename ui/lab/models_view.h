#pragma once
/// \file Cost models compared on a data set: what searches get from each on every network, two of
/// them task by task, and the tasks that a model is worst on.

#include "ui/kit/background.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/lab/judged.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QMenu;
class QProgressBar;
class QSplitter;
class QTableView;
class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class AgreementPlot;
class Document;
class FigureModel;
class JudgedTaskModel;
class OrderPlot;

class ModelsView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  enum class Page : std::uint8_t { Networks, TwoModels, WorstTasks };

  explicit ModelsView(Document& document, QWidget* parent = nullptr);

  /// What models are judged on, from now on.
  void setChoice(const DataChoice& choice);
  /// Files, or sessions as "a.nwdb#2".
  void addModels(const QStringList& models);
  QStringList models() const;
  void compare();
  /// Null before there is one.
  const Judged& judged() const { return judged_; }
  bool isBusy() const { return judging_.isBusy(); }
  void showPage(Page page);
  Page page() const;
  /// Looks at a task of the comparison; -1: at none.
  void chooseTask(int task);
  int task() const { return task_; }

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

  // For tests.
  FigureModel* figures() const { return figures_; }
  JudgedTaskModel* worst() const { return worst_; }
  AgreementPlot* agreement() const { return agreement_; }
  OrderPlot* order() const { return order_; }
  QComboBox* favourites() const { return k_; }
  QComboBox* first() const { return a_; }
  QComboBox* second() const { return b_; }
  QListWidget* list() const { return list_; }
  QString words() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildBar();
  QWidget* buildNetworks();
  QWidget* buildTwoModels();
  QWidget* buildWorstTasks();
  void fillSessions();
  void showList();
  void removeModels();
  void changed();
  void take(Judgement judgement);
  void fail(const QString& why);
  void say();
  void fillModels();
  void showFigures();
  void showPair();
  void showOrder();
  std::size_t modelOf(const QComboBox* box) const;
  std::size_t k() const;
  void restyle();

  Document& document_;
  DataChoice choice_;
  QStringList models_;
  QToolButton *add_, *sessions_, *remove_, *compare_, *cancel_;
  QMenu* sessionMenu_;
  QListWidget* list_;
  QLineEdit* networks_;
  QComboBox *k_, *a_, *b_;
  QProgressBar* busy_;
  QLabel *state_, *notes_, *difference_;
  QTabWidget* pages_;
  FigureModel* figures_;
  QTableView *figureTable_, *worstTable_;
  AgreementPlot* agreement_;
  JudgedTaskModel* worst_;
  OrderPlot* order_;
  QSplitter* split_;
  Judged judged_;
  int task_ = -1;
  bool stale_ = false; // models or data are others than those judged
  QString doing_;      // while it compares
  QString problem_;    // why the last comparison failed
  Background judging_; // last: its thread ends before the others go
};

} // namespace nestwright::ui
