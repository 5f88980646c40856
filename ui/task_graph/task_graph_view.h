#pragma once
/// \file The network as a graph of its tasks: with its tool bar, as a drawing or as a table, and
/// what is said when there is none.

#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/task_graph/graph_loader.h"
#include "ui/task_graph/graph_values.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class GraphDetails;
class NodePane;
class SortedRows;
class TaskGraphCanvas;
class TaskGraphModel;

class TaskGraphView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  explicit TaskGraphView(Document& document, QWidget* parent = nullptr);

  TaskGraphCanvas* canvas() const { return canvas_; }
  TaskGraphModel* model() const { return model_; }
  QTableView* table() const { return table_; }
  QLineEdit* search() const { return search_; }
  QComboBox* networks() const { return networks_; }
  NodePane* details() const;
  GraphLoader& loader() { return loader_; }
  /// What is said in place of, or above, the drawing; empty when there is nothing to say.
  QString message() const;
  bool isLoading() const { return loader_.busy(); }

  GraphMeasure measure() const { return measure_; }
  void setMeasure(GraphMeasure measure);
  /// All repeated blocks: one for all, or each.
  void setFolded(bool folded);
  void setTableShown(bool shown);
  bool isTableShown() const;

  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

 Q_SIGNALS:
  /// A task was double-clicked: its program is wanted.
  void taskOpened(nestwright::RowId task);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildToolBar(QHBoxLayout* bar);
  void buildTable();
  QToolButton* button(const QString& text, const QString& tip, bool checkable);
  void documentChanged();
  void fillNetworks();
  /// Asks for the drawing of the chosen network, keeping what is known of it.
  void request(bool sameNetwork);
  void take(const GraphAnswer& answer);
  void toggleRepeat(int repeat);
  void scheduleValues();
  void refreshValues();
  void followSelection();
  void find();
  void goToMatch(int step);
  void showPage();
  double aspect() const;

  Document& document_;
  GraphLoader loader_;
  TaskGraphCanvas* canvas_;
  TaskGraphModel* model_;
  SortedRows* sorted_;
  QTableView* table_;
  QStackedWidget* pages_;
  GraphDetails* details_;
  QLabel* notice_;
  QWidget* noticeLine_;
  QPushButton* again_;
  QComboBox *networks_, *measures_;
  QLineEdit* search_;
  QLabel* found_;
  QToolButton *fold_, *tabled_, *detailed_;
  QTimer valuesTimer_, aspectTimer_;
  FoldableGraphPtr source_; // of the network that is chosen
  std::vector<bool> expanded_;
  GraphMeasure measure_ = GraphMeasure::Time;
  std::size_t network_ = 0;
  double askedAspect_ = 0;
  RowId shownSession_ = 0;
  QString shownPath_, problem_;
  QString asked_;        // the network of the latest request
  bool waiting_ = false; // a document came while the view was not seen
  std::vector<int> matches_;
  int match_ = -1;
};

} // namespace nestwright::ui
