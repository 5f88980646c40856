#pragma once
/// \file Which colours and how large: what a person chooses, and everything follows. Qt 6.4 cannot
/// follow the desktop's scheme by itself, so the palette is ours.

#include "ui/kit/theme_choice.h"

#include <QIcon>
#include <QObject>
#include <QTimer>

#include <optional>

namespace nestwright::ui {

struct Colours;

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
  /// Size of the application's font at this zoom.
  double pointSize() const { return desktopPointSize_ * zoom_; }

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

} // namespace nestwright::ui
