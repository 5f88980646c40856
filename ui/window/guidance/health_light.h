#pragma once
/// \file A light in the status bar that is always on: whether the times that are measured can be
/// trusted just now, why not, and what to do.

#include "core/story/advice/measuring_health.h"
#include "ui/kit/background.h"

#include <QTimer>
#include <QWidget>

class QLabel;

namespace nestwright::ui {

class Document;

class HealthLight : public QWidget {
  Q_OBJECT
 public:
  explicit HealthLight(Document& document, QWidget* parent = nullptr);
  const MeasuringHealth& health() const { return health_; }
  /// What the light says, and beneath it why and what to do.
  QString text() const;

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  void take(MeasuringHealth health);
  void restyle();

  Document& document_;
  Background background_;
  QTimer timer_; // while measuring
  MeasuringHealth health_;
  QLabel *dot_, *word_;
};

} // namespace nestwright::ui
