#pragma once
/// \file What stands out on the tuning curves: the selected record, and what people wrote about
/// records and tasks.

#include "core/story/curve_data.h"
#include "ui/charts/note_marks.h"

#include <optional>

namespace nestwright::ui {

class Document;

class CurveMarks {
 public:
  CurveMarks(QCustomPlot& plot, Document& document);
  void restyle();
  /// Takes what the document and the options say now; the axes have their ranges.
  void refresh(const CurveOptions& options);
  /// Where the record is drawn; nothing when its trial is not known or its task not in sight.
  std::optional<QPointF> placeOf(RowId task, RowId record, const CurveOptions& options) const;
  const NoteMarks& notes() const { return notes_; }
  /// The selected record has a ring.
  bool isRinged() const { return ring_->dataCount() > 0; }
  std::optional<QPointF> ringPixel() const;

 private:
  QCustomPlot& plot_;
  Document& document_;
  QCPGraph* ring_;
  NoteMarks notes_;
};

} // namespace nestwright::ui
