#pragma once
/// \file One calm palette in light and one in dark, the same meaning for every colour in tables,
/// charts and program text.

#include <QColor>

#include <array>

namespace nestwright::ui {

struct Colours {
  bool dark = false;
  QColor window, base, alternate, raised;     // surfaces, from the frame to what lies on it
  QColor text, dim, faint, line;              // writing and rules, by falling weight
  QColor accent, accentText, selection;       // the one accent
  QColor running, waiting, failed;            // states, never told by colour alone
  QColor parallel, vector, unroll, reduction; // loop kinds in program text
  /// Told apart by all common kinds of colour vision, on both backgrounds.
  std::array<QColor, 8> series;
  /// The colour of the n-th largest task in charts and tables; neutral beyond the series.
  QColor task(int rank) const;
};

const Colours& lightColours();
const Colours& darkColours();

/// Those in force, which Theme chooses; it tells when they are others.
const Colours& colours();

} // namespace nestwright::ui
