#pragma once
/// \file Stars and notes on charts: a star above the point that is starred, a leaf of paper above
/// one that has only a note. Their shapes tell them apart, their words stand in the tool-tips.

#include "core/record/store/notes.h"
#include "ui/kit/plot_library.h"

#include <QIcon>
#include <QString>

namespace nestwright::ui {

class NoteMarks {
 public:
  /// Above everything else in the plot. With `legend`, the plot's legend explains what there is.
  NoteMarks(QCustomPlot& plot, bool legend);
  /// To be called at every change of the theme.
  void restyle();
  void clear();
  /// A mark for the note at this place of the plot; none for an empty one.
  void add(const Note& note, double x, double y);
  /// After the last one: which kinds the legend explains.
  void done();
  int stars() const { return stars_->dataCount(); }
  int leaves() const { return leaves_->dataCount(); }

 private:
  QCPGraph *stars_, *leaves_;
  bool legend_;
};

/// The note about a record; an empty one where there is none.
const Note& noteOf(const Notes& notes, RowId record);
/// The mark as an icon for a table's cell; a null one for an empty note.
QIcon noteIcon(const Note& note);
/// The note as the last line of a tool-tip: "\n★ the tile fits L1"; empty without one.
QString noteLine(const Notes& notes, const NoteKey& key);

} // namespace nestwright::ui
