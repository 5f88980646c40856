#pragma once
/// \file What lies over the tuning curves for comparison: other sessions of the document, the
/// networks of a session over several, and reference lines.

#include "core/execute/latency_comparison.h"
#include "core/story/curve_data.h"
#include "core/story/session_contents.h"
#include "ui/charts/plot_labels.h"
#include "ui/kit/plot_library.h"

#include <map>
#include <vector>

namespace nestwright::ui {

class Document;

/// The improvements of another session; its trials are not kept.
struct OtherSession {
  RowId session = 0;
  QString title;
  TuningHistory history;
  LatencyComparison total; // of the weighted totals, from the session in view (left) to this one
};

/// Reads one, and compares it with the one in view; on the reader's thread.
OtherSession readOtherSession(const RecordStore& store, RowId session, RowId inView);

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
  /// What is written at the lines.
  QStringList names() const;

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
               const CurveOptions& options, const QString& verdict = {});
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
