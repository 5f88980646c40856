#pragma once
/// \file Tick marks that stay readable at any zoom.

#include "ui/kit/plot_library.h"

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

/// For values beside one that they are compared with: "+5 %", "0 %", "−10 %", at even shares of it.
/// Without one, or where the range spans more than four times, there are no marks.
class ShareTicker : public QCPAxisTicker {
 public:
  void setReference(double value) { reference_ = value; }
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
  QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  double reference_ = 0;
};

/// For wall time in seconds: "30 s", "5 min", "2 h".
class TimeTicker : public QCPAxisTicker {
 public:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

} // namespace nestwright::ui
