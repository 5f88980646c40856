#pragma once
/// \file Tick marks that stay readable at any zoom.

#include "ui/charts/plot_library.h"

namespace nestwright::ui {

/// For logarithmic axes: powers of ten over many decades, 1-2-5 over a few, and evenly spaced
/// numbers within one.
class LogTicker : public QCPAxisTicker {
 public:
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
  QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// For counts: 1,000 and never 0.5.
class CountTicker : public QCPAxisTicker {
 public:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double tickStep) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// For wall time in seconds: "30 s", "5 min", "2 h".
class TimeTicker : public QCPAxisTicker {
 public:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

} // namespace nestwright::ui
