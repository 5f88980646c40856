#pragma once
/// \file What lies over the tuning curves for comparison: other sessions of the document, the
/// networks of a session over several, and reference lines.

#include "ui/contents.h"
#include "ui/curve_data.h"
#include "ui/plot_labels.h"
#include "ui/plot_library.h"

#include <map>
#include <vector>

namespace nestwright::ui {

class Document;

/// The improvements of another session; its trials are not kept.
struct OtherSession {
  RowId session = 0;
  QString title;
  TuningHistory history;
};

/// Reads one; on the reader's thread.
OtherSession readOtherSession(const RecordStore& store, RowId session);

class CurveOverlays {
 public:
  CurveOverlays(QCustomPlot& plot, PlotLabels& labels, Document& document);

  void setSessions(std::vector<OtherSession> sessions) { others_ = std::move(sessions); }
  const std::vector<OtherSession>& sessions() const { return others_; }
  /// Seconds that a line marks; 0 for none.
  void setUserValue(double seconds) { userSeconds_ = seconds; }
  double userValue() const { return userSeconds_; }

  /// Takes what the document and the options say now.
  void refresh(const CurveOptions& options);
  /// All values that the axis should have room for.
  std::vector<double> values() const;
  double lastX() const;

 private:
  struct Line {
    QCPGraph* graph;
    QCPItemText* label;
  };
  struct Reference {
    QCPItemStraightLine* line;
    QCPItemText* label;
    double y = 0;
  };
  void clear();
  void addLine(const Curve& curve, const QString& name, const QColor& colour, Qt::PenStyle style,
               const CurveOptions& options);
  void addReference(double seconds, const QString& name, const CurveOptions& options);

  QCustomPlot& plot_;
  PlotLabels& labels_;
  Document& document_;
  std::vector<OtherSession> others_;
  double userSeconds_ = 0;
  std::vector<Line> lines_;
  std::vector<Reference> references_;
};

} // namespace nestwright::ui
