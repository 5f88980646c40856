#pragma once
/// \file The selected program: its loop nest step by step, what its task computes, its code at
/// every level down to the machine's, how a GPU runs it, its features, what the processor counts in
/// it, and where it comes from.

#include "ui/document/file_asking.h"
#include "ui/document/shown_program.h"
#include "ui/document/tabbed_view.h"
#include "ui/kit/exportable.h"
#include "ui/kit/view_state.h"
#include "ui/program/code/program_code.h"
#include "ui/program/program_text.h"

#include <QWidget>

#include <optional>

class QTabWidget;

namespace nestwright::ui {

class CodeLevels;
class CodeView;
class CounterPage;
class Document;
class FeaturePage;
class HandEditPage;
class KnobPane;
class LinkedCodePage;
class LaunchPage;
class CPage;
class LoopIrPage;
class LoopNestPage;
class ProgramCodePages;
class ProgramHead;
class ProvenancePage;

class ProgramView : public QWidget, public ExportableView, public StatefulView, public TabbedView {
  Q_OBJECT
 public:
  enum Page {
    LoopNestTab,
    LaunchTab, // only of programs for a GPU
    DagTab,
    LoopIrTab, // this and the next three are levels of the tab with the code
    CTab,      // only of programs for a processor
    SourceTab, // LLVM IR, CUDA C
    MachineTab,
    FeatureTab,
    CounterTab,
    ProvenanceTab,
    EditTab,
    OtherTab // of the panel, not of this view
  };

  explicit ProgramView(Document& document, QWidget* parent = nullptr);
  ~ProgramView() override;
  /// What is shown.
  const ProgramText& program() const { return program_; }
  const std::optional<LoweredProgram>& lowered() const { return lowered_; }
  const std::optional<CompiledProgram>& compiled() const;
  void showPage(Page page);
  Page page() const;
  QTabWidget* pages() const override { return pages_; }

  ProgramHead* head() const { return head_; }
  LoopNestPage* loopNest() const { return loopNest_; }
  LinkedCodePage* source() const;
  LinkedCodePage* machine() const;
  LaunchPage* launch() const { return launch_; }
  FeaturePage* features() const { return features_; }
  CounterPage* counters() const { return counters_; }
  KnobPane* knobs() const { return knobs_; }
  HandEditPage* edit() const { return edit_; }
  LoopIrPage* loopIr() const { return loopIr_; }
  CPage* c() const { return c_; }
  CodeLevels* levels() const { return levels_; }
  ProvenancePage* provenance() const { return provenance_; }

  /// The page that is shown.
  Exports exports() override;
  nlohmann::json viewState() const override;
  void restoreViewState(const nlohmann::json& state) override;

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

  void buildPages();
  QWidget* tabOf(Page page) const;
  /// Brings a page of this view to the front.
  void turnTo(Page page);
  void offerPages(bool isForGpu);
  void nameCodePages(const ShownForms& forms);
  void follow();
  void show(Loaded loaded);
  void showNothing(const QString& title, const QString& why);
  void compileIfSeen();
  void showCode();
  void chooseNode(int node);
  void chooseIrLine(int line);
  QString pageText() const;

  Document& document_;
  ProgramText program_;
  std::optional<LoweredProgram> lowered_;
  ShownProgram shown_; // what was asked for
  ProgramHead* head_;
  QTabWidget* pages_;
  Page wanted_ = LoopNestTab; // is shown, unless the program has no such page
  LoopNestPage* loopNest_;
  KnobPane* knobs_;
  CodeView* dag_;
  LoopIrPage* loopIr_;
  CPage* c_;
  ProgramCodePages* code_;
  CodeLevels* levels_; // the loop IR, C, and the two pages of code
  LaunchPage* launch_;
  FeaturePage* features_;
  CounterPage* counters_;
  ProvenancePage* provenance_;
  HandEditPage* edit_;
  StoreAsking reading_; // last: its thread ends before anything that it uses
};

} // namespace nestwright::ui
