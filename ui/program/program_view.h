#pragma once
/// \file The selected program: its loop nest step by step, what its task computes, its code at
/// every level down to the machine's, how a GPU runs it, its features, what it spends its time on,
/// what the processor counts in it, and where it comes from.

#include "ui/document/reading/file_asking.h"
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

class CodeView;
class CounterPage;
class Document;
class DraftPage;
class FeaturePage;
class HandEditPage;
class KnobPane;
class LaunchPage;
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
    LoopIrTab, // this and the next three are the levels of the tab with the code, in their order
    CTab,
    SourceTab,
    MachineTab,
    FeatureTab,
    DraftTab,
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
  void showPage(Page page);
  Page page() const;
  QTabWidget* pages() const override { return pages_; }

  ProgramHead* head() const { return head_; }
  LoopNestPage* loopNest() const { return loopNest_; }
  ProgramCodePages* code() const { return code_; }
  LaunchPage* launch() const { return launch_; }
  FeaturePage* features() const { return features_; }
  DraftPage* draft() const { return draft_; }
  CounterPage* counters() const { return counters_; }
  KnobPane* knobs() const { return knobs_; }
  HandEditPage* edit() const { return edit_; }
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
  ProgramCodePages* code_;
  LaunchPage* launch_;
  FeaturePage* features_;
  DraftPage* draft_;
  CounterPage* counters_;
  ProvenancePage* provenance_;
  HandEditPage* edit_;
  StoreAsking reading_; // last: its thread ends before anything that it uses
};

} // namespace nestwright::ui
