#pragma once
/// \file What the window remembers between runs, typed.

#include "ui/curve_data.h"
#include "ui/theme.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace nestwright::ui {

class Settings {
 public:
  static constexpr int kMaxRecent = 10;

  static QStringList recentFiles();
  /// Puts the file first; one that cannot be found any more stays, and opening it says so.
  static void addRecentFile(const QString& path);
  static void removeRecentFile(const QString& path);
  static void clearRecentFiles();

  static ThemeChoice theme();
  static void setTheme(ThemeChoice choice);
  static double zoom();
  static void setZoom(double zoom);

  static QByteArray geometry();
  static QByteArray docks();
  static void setWindow(const QByteArray& geometry, const QByteArray& docks);

  static CurveOptions curves();
  static void setCurves(const CurveOptions& options);

  /// Where new documents go: the folder used last, or the user's documents.
  static QString folder();
  static void setFolder(const QString& folder);
};

} // namespace nestwright::ui
