#pragma once
/// \file The curve that is looked at, of the selected task or of the total: what came of it since
/// its warm-up, the range of the axis in which that is seen, the noise around its best, and at the
/// right how far values are from that best.

#include "core/story/advice/progress_range.h"
#include "ui/charts/axis_tickers.h"
#include "ui/curves/noise_strip.h"

#include <optional>
#include <vector>

namespace nestwright::ui {

class CurveFocus : public QObject {
  Q_OBJECT
 public:
  CurveFocus(QCustomPlot& plot, Document& document);
  void restyle();

  /// Looks at what the document has selected, on these axes.
  void follow(const CurveOptions& options);
  /// 0: the total.
  RowId task() const { return task_; }
  /// Whether there is a curve to look at.
  bool hasCurve() const { return range_.has_value(); }
  /// "−14 % since trial 80"; empty where nothing came.
  QString since() const;
  /// A range of the vertical axis with room for the curve since its warm-up, for the noise around
  /// it, and for those of the other values that are near; never so small that noise looks like
  /// progress. To be asked while there is a curve.
  QCPRange wanted(const std::vector<double>& others) const;
  /// The strip and the axis at the right, once the vertical axis has its range.
  void draw();

  const NoiseStrip& noise() const { return noise_; }

 Q_SIGNALS:
  /// More is known of the noise.
  void changed();

 private:
  double valueOf(double seconds) const;

  QCustomPlot& plot_;
  Document& document_;
  CurveOptions options_;
  RowId task_ = 0;
  double seconds_ = 0; // its best
  std::optional<ProgressRange> range_;
  NoiseStrip noise_;
  QCPAxis* shares_;
  QSharedPointer<ShareTicker> ticker_;
};

} // namespace nestwright::ui
