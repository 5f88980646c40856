#pragma once
/// \file The look: one calm palette in light and one in dark, the same meaning for every colour in
/// tables, charts and program text. Qt 6.4 cannot follow the desktop's scheme by itself, so the
/// palette is ours.

#include <QColor>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QTimer>

#include <array>
#include <optional>
#include <vector>

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

enum class ThemeChoice { System, Light, Dark };

/// Applies palette, style and zoom to the application and tells everyone that paints by itself.
class Theme : public QObject {
  Q_OBJECT
 public:
  /// The application's theme; made by the first caller, which must be on the GUI thread.
  static Theme& instance();

  const Colours& colours() const { return *colours_; }
  ThemeChoice choice() const { return choice_; }
  void choose(ThemeChoice choice);

  /// 1 is the desktop's own size; kept within 0.6 and 3.
  double zoom() const { return zoom_; }
  void setZoom(double zoom);

  /// The same when the events that wait have been handled: keys that are pressed faster than the
  /// window is drawn anew cost one restyling together. choice() and zoom() are what is wanted at
  /// once.
  void chooseSoon(ThemeChoice choice);
  void setZoomSoon(double zoom);

  /// A one-colour icon of resources/icons in the colours of the moment, with a disabled form.
  QIcon icon(const QString& name) const;
  /// The fixed-width font for program text.
  QFont codeFont() const;
  /// A font a little smaller than the application's, for secondary text.
  QFont smallFont() const;
  /// Height of a dense table row.
  int rowHeight() const;

 Q_SIGNALS:
  /// Colours or sizes are new; whoever paints by itself repaints.
  void changed();

 private:
  explicit Theme(QObject* parent);
  void apply();

  const Colours* colours_ = nullptr;
  ThemeChoice choice_ = ThemeChoice::System;
  double zoom_ = 1;
  std::optional<ThemeChoice> appliedChoice_; // none: nothing was applied yet
  double appliedZoom_ = 0;
  QTimer soon_;
  bool desktopIsDark_ = false;
  double desktopPointSize_ = 9;
};

/// Shorthand for the colours that are in force.
inline const Colours& colours() {
  return Theme::instance().colours();
}

} // namespace nestwright::ui
