#pragma once
/// \file Where the session paused, failed, or was told to look elsewhere, as lines through the
/// tuning curves with a sign at their upper end (C41).

#include "core/session/run/course_marks.h"
#include "core/story/curve_data.h"
#include "ui/kit/background.h"
#include "ui/kit/plot_library.h"

#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

class CourseMarkLines : public QObject {
  Q_OBJECT
 public:
  CourseMarkLines(QCustomPlot& plot, Document& document);
  void restyle();
  /// Draws what is known now; the axes have their ranges.
  void refresh(const CurveOptions& options);
  /// What happened at the sign that the mouse is at.
  struct Hit {
    QPointF place; // pixels
    QString text;
  };
  std::optional<Hit> hitAt(const QPointF& position, const CurveOptions& options) const;
  /// The marks that are drawn: in a replay those that had happened.
  std::vector<CourseMark> shown() const;
  /// Where marks of this kind are drawn.
  std::vector<double> places(CourseMark::Kind kind) const;

 Q_SIGNALS:
  /// Others are known.
  void changed();

 private:
  void ask();
  QString textOf(const CourseMark& mark) const;

  QCustomPlot& plot_;
  Document& document_;
  Background background_;
  std::vector<CourseMark> marks_;
  std::array<QCPGraph*, 3> graphs_{}; // by kind
};

} // namespace nestwright::ui
