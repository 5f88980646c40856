#pragma once
/// \file QCustomPlot, whose header needs the keywords that the rest of the project does without.

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach

#include <vector>

namespace nestwright::ui {

/// Core's numbers as plots take them.
inline QVector<double> plotted(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

} // namespace nestwright::ui
