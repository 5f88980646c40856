#pragma once
/// \file The selected program: its loop nest step by step, what its task computes, its code at
/// every level down to the machine's, how a GPU runs it, its features, and where it comes from.

#include "ui/document/file_asking.h"
#include "ui/document/replayed_program.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/program/program_code.h"
#include "ui/program/program_text.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QMenu;
class QTabWidget;
class QToolButton;
class QTreeWidget;

namespace nestwright::ui {

class CodeView;
class Document;
class FeaturePage;
class HandEditPage;
class KnobPane;
class LinkedCodePage;
class LaunchPage;
class LoopNestPage;
class MicroBatchView;
class ProgramCodePages;

/// What each step of a record's program added to the score that a cost model gives it.
struct StepScores {
  RowId record = 0;
  std::vector<double> added;
};

class ProgramView : public QWidget, public ExportableView, public StatefulView {
  Q_OBJECT
 public:
  enum Page {
    LoopNestTab,
    LaunchTab, // only of programs for a GPU
    DagTab,
    LoopIrTab,
    SourceTab, // LLVM IR, CUDA C
    MachineTab,
    FeatureTab,
    ProvenanceTab,
    EditTab
  };

  explicit ProgramView(Document& document, QWidget* parent = nullptr);
  ~ProgramView() override;
  /// What is shown.
  const ProgramText& program() const { return program_; }
  const std::optional<LoweredProgram>& lowered() const { return lowered_; }
  const std::optional<CompiledProgram>& compiled() const;
  void showPage(Page page);
  Page page() const;

  LoopNestPage* loopNest() const { return loopNest_; }
  LinkedCodePage* source() const;
  LinkedCodePage* machine() const;
  LaunchPage* launch() const { return launch_; }
  FeaturePage* features() const { return features_; }
  KnobPane* knobs() const { return knobs_; }
  MicroBatchView* microBatches() const { return microBatches_; }
  HandEditPage* edit() const { return edit_; }
  QComboBox* passes() const { return passes_; }
  QTreeWidget* provenance() const { return provenance_; }

  /// The page that is shown.
  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

  /// Draws them beside the steps whenever their record is shown.
  void showStepScores(StepScores scores);
  /// Shows the loop nest after a step of the record's program, once that is shown.
  void showStep(RowId record, int step);

  void compareWithBest();
  void compareWithNaive();
  void compareWith(const ProgramRef& other);

 Q_SIGNALS:
  void shown();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Loaded {
    ProgramText text;
    LoweredProgram lowered;
  };

  void buildHead();
  void buildPages();
  QWidget* buildLoopIrPage();
  QWidget* buildProvenancePage();
  QMenu* copyMenu();
  QMenu* compareMenu();
  void offerLaunches(bool are);
  void nameCodePages(const ShownForms& forms);
  void restyle();
  void follow();
  void show(Loaded loaded);
  void showNothing(const QString& title, const QString& why);
  void tellSteps();
  void showPass(int pass);
  void showProvenance();
  void compileIfSeen();
  void showCode();
  void chooseNode(int node);
  void chooseIrLine(int line);
  void copyPage();
  QString pageText() const;
  void askRecordToCompare();

  Document& document_;
  ProgramText program_;
  std::optional<LoweredProgram> lowered_;
  StepScores scores_;
  std::pair<RowId, int> wantedStep_{}; // of a record that is not shown yet; 0: none
  RowId shownBest_ = 0;                // the best at the time of reading; a newer one is read again
  ReplayedProgram shown_;              // what was asked for
  QLabel *title_, *subtitle_;
  QToolButton *compare_, *copy_;
  QTabWidget* pages_;
  Page wanted_ = LoopNestTab; // is shown, unless the program has no such page
  LoopNestPage* loopNest_;
  KnobPane* knobs_;
  CodeView *dag_, *ir_;
  QComboBox* passes_;
  QLabel* passMeaning_;
  ProgramCodePages* code_;
  LaunchPage* launch_;
  FeaturePage* features_;
  QTreeWidget* provenance_;
  MicroBatchView* microBatches_;
  HandEditPage* edit_;
  StoreAsking reading_; // last: its thread ends before anything that it uses
};

} // namespace nestwright::ui
