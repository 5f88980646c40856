#pragma once
/// \file The measured configurations of the selected task as lines across its template's knobs,
/// computed beside everything else and kept up to date.

#include "core/story/knob_lines.h"
#include "ui/document/record_trail.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace nestwright::ui {

class KnobReader : public QObject {
  Q_OBJECT
 public:
  explicit KnobReader(Document& document, QObject* parent = nullptr);

  /// The task that is shown; 0 for none.
  RowId task() const { return task_; }
  /// Null while it is not known.
  const std::shared_ptr<const TaskTemplate>& taskTemplate() const { return template_; }
  /// Never null.
  const std::shared_ptr<const KnobLines>& lines() const { return lines_; }
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
    std::string whyNone;
  };
  static Answer compute(const RecordStore& store, RowId task, const SessionConfig& config,
                        std::shared_ptr<const TaskTemplate> of,
                        const std::vector<KnobTrial>& trials);
  void followTask();
  void ask();
  void clear();

  Document& document_;
  std::vector<KnobTrial> trials_; // of all tasks
  RowId task_ = 0;
  std::shared_ptr<const TaskTemplate> template_;
  std::shared_ptr<const KnobLines> lines_ = std::make_shared<KnobLines>();
  QString problem_;
  bool wanted_ = false;
  RecordTrail<KnobTrial> trail_;
};

} // namespace nestwright::ui
