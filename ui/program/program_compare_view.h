#pragma once
/// \file Two programs side by side: which is faster and whether that is more than noise, and where
/// they differ, from the steps down to the machine code.

#include "core/story/footprints.h"
#include "ui/document/reading/file_asking.h"
#include "ui/document/shown_program.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/exportable.h"
#include "ui/program/diff_text.h"

#include <QWidget>

#include <optional>

class QLabel;
class QMenu;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class DiffPage;
class Document;
class FeaturePage;
class FootprintPage;
class ComparisonHead;

class ProgramCompareView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  enum Page { LoopNestTab, CacheTab, StepTab, LoopIrTab, SourceTab, MachineTab, FeatureTab };

  explicit ProgramCompareView(Document& document, QWidget* parent = nullptr);
  ~ProgramCompareView() override;

  /// True once both sides are shown.
  bool isComplete() const { return pair_.has_value(); }
  const LatencyComparison& latency() const { return latency_; }
  QString verdict() const;
  ComparisonHead* head(Side side) const { return side == Side::A ? a_ : b_; }
  /// Null for the caches and the features, which are no texts.
  DiffPage* page(Page page) const { return texts_[page]; }
  FootprintPage* caches() const { return caches_; }
  FeaturePage* features() const { return features_; }
  void showPage(Page page);
  void swapSides();
  /// The page that is shown, as text with its differences marked.
  Exports exports() override;

 protected:
  // Two records become A and B; one becomes the side that it is dropped on.
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 Q_SIGNALS:
  void shown();

 private:
  /// Everything of both programs but their code.
  struct Pair {
    ProgramText a, b;
    LoweredProgram loweredA, loweredB;
    DiffText nests, steps, ir;
    FootprintComparison footprints;
  };
  /// Where the two cannot be compared, `problem` says why.
  struct Code {
    struct Part {
      DiffText diff;
      QString problem;
    };
    Part source, machine;
  };
  static Code::Part compared(const ShownCode& a, const ShownCode& b, const QString& names,
                             const QString& problem);

  QMenu* choices(Side side);
  void buildPages();
  void restyle();
  void follow();
  ShownProgram wanted(Side side) const;
  void setSide(Side side, const ProgramRef& program);
  void show(Pair pair);
  void showVerdict();
  void showNothing(const QString& why);
  void nameCodePages();
  void compileIfSeen();
  QString pageText() const;

  Document& document_;
  std::optional<Pair> pair_;
  ShownProgram shownA_, shownB_; // what was asked for
  bool compiled_ = false;
  LatencyComparison latency_;
  ComparisonHead *a_, *b_;
  QLabel *verdict_, *empty_;
  QToolButton *swap_, *copy_;
  QStackedWidget* body_;
  QTabWidget* pages_;
  DiffPage* texts_[FeatureTab + 1] = {};
  FootprintPage* caches_;
  FeaturePage* features_;
  FileAsking<const RecordStore, 2> reading_; // A's and B's
  Background compiling_;
};

} // namespace nestwright::ui
