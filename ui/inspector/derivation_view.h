#pragma once
/// \file How the sketches of the selected task came to be: the derivation as a tree, and the loop
/// nest at the selected place, beside that before the rule was applied.

#include "core/record/store/store.h"
#include "core/space/derivation.h"
#include "core/support/row_id.h"
#include "core/tensor/compute_dag.h"
#include "ui/program/nest_pane.h"

#include <QWidget>

#include <map>
#include <memory>

class QLabel;
class QTreeView;

namespace nestwright {
struct SessionConfig;
}

namespace nestwright::ui {

class DerivationModel;
class Document;

class DerivationView : public QWidget {
  Q_OBJECT
 public:
  explicit DerivationView(Document& document, QWidget* parent = nullptr);
  QTreeView* tree() const { return tree_; }
  DerivationModel* model() const { return model_; }
  NestPane* before() const { return before_; }
  NestPane* after() const { return after_; }
  /// What the chosen rule is for; empty for a stage or a sketch.
  QLabel* meaning() const { return meaning_; }

 Q_SIGNALS:
  /// The derivation of a task is shown.
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A derivation with the loop nest at each of its nodes.
  struct Derived {
    std::shared_ptr<const DerivationTree> tree;
    std::vector<NestText> nests;
    bool isGpu = false; // that its programs run on
  };
  static Derived derive(const RecordStore& store, RowId task, const SessionConfig& config);
  void follow();
  void show(Derived derived);
  void showNothing(const QString& why);
  void showNode();
  void fitColumns();

  Document& document_;
  DerivationModel* model_;
  QTreeView* tree_;
  QLabel *summary_, *meaning_;
  NestPane *before_, *after_;
  std::vector<NestText> nests_;
  RowId task_ = 0, session_ = 0; // whose derivation is shown or asked for
};

} // namespace nestwright::ui
