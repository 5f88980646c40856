#pragma once
/// \file The strip of a curve's chart in which differences from the present best are noise.

#include "core/story/advice/noise_band.h"
#include "core/story/curve_data.h"
#include "ui/kit/background.h"
#include "ui/kit/plot_library.h"

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

class NoiseStrip : public QObject {
  Q_OBJECT
 public:
  NoiseStrip(QCustomPlot& plot, Document& document);
  void restyle();
  /// Of the task, or of the total for 0; hidden where it is not known. `seconds` is the best, and
  /// `value` makes a place on the axis of a latency.
  void show(RowId task, double seconds, const std::function<double(double)>& value);
  void hide();
  /// Of the task, or of the total; nothing until it is known.
  std::optional<NoiseBand> band(RowId task) const;
  bool isShown() const { return strip_->visible(); }

 Q_SIGNALS:
  /// Others are known.
  void changed();

 private:
  /// When other programs are the bests.
  void follow();

  Document& document_;
  Background background_;
  std::vector<TaskBest> bests_; // that the bands are of
  NoiseBands bands_;
  QCPItemRect* strip_;
};

} // namespace nestwright::ui
