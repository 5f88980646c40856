#pragma once
/// \file The measured programs of the selected task as lines across its template's knobs, or across
/// the decisions of its sketches, computed beside everything else and kept up to date.

#include "core/story/decisions/decision_lines.h"
#include "ui/document/record_trail.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace nestwright::ui {

class KnobReader : public QObject {
  Q_OBJECT
 public:
  /// More axes than this side by side cannot be told apart.
  static constexpr std::size_t kMostDecisions = 12;

  explicit KnobReader(Document& document, QObject* parent = nullptr);

  /// The task that is shown; 0 for none.
  RowId task() const { return task_; }
  /// Null while it is not known, and for sketches.
  const std::shared_ptr<const TaskTemplate>& taskTemplate() const { return template_; }
  /// Never null.
  const std::shared_ptr<const KnobLines>& lines() const { return lines_; }
  /// Of sketches: what their axes are; null for templates.
  const DecisionLines* decisions() const { return decisions_.get(); }
  /// Of sketches: all decisions are axes, else the kMostDecisions most important ones.
  void setAllDecisions(bool all);
  /// True when older trials were left out.
  bool isCut() const { return trail_.isCut(); }
  /// Why there are no lines, in a sentence; empty while there are some.
  QString problem() const;
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted);

 Q_SIGNALS:
  void changed();

 private:
  struct Answer {
    std::shared_ptr<const TaskTemplate> of;
    std::shared_ptr<const KnobLines> lines;
    std::shared_ptr<const DecisionLines> decisions;
    std::string whyNone;
  };
  struct SketchQuestion {
    RowId task = 0;
    std::vector<KnobTrial> trials;
    std::size_t mostAxes = 0;
    std::shared_ptr<KnownDecisions> known; // of the reader's thread alone
  };
  static Answer compute(const RecordStore& store, RowId task, const SessionConfig& config,
                        std::shared_ptr<const TaskTemplate> of,
                        const std::vector<KnobTrial>& trials);
  static Answer computeDecisions(const RecordStore& store, const SketchQuestion& question);
  void followTask();
  void ask();
  void take(const Answer& answer);
  void clear();

  Document& document_;
  std::vector<KnobTrial> trials_; // of all tasks
  RowId task_ = 0;
  std::shared_ptr<const TaskTemplate> template_;
  std::shared_ptr<const KnobLines> lines_ = std::make_shared<KnobLines>();
  std::shared_ptr<const DecisionLines> decisions_;
  std::shared_ptr<KnownDecisions> known_ = std::make_shared<KnownDecisions>();
  std::size_t mostAxes_ = kMostDecisions;
  QString problem_;
  bool wanted_ = false;
  bool stale_ = false; // something came while nobody wanted it
  RecordTrail<KnobTrial> trail_;
};

} // namespace nestwright::ui
