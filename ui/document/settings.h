#pragma once
/// \file What the window remembers between runs, typed.

#include "core/story/curve_data.h"
#include "ui/kit/theme_choice.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>

namespace nestwright::ui {

class Settings {
 public:
  static constexpr int kMaxRecent = 10;

  static QStringList recentFiles();
  /// Puts the file first; one that cannot be found any more stays, and opening it says so.
  static void addRecentFile(const QString& path);
  static void clearRecentFiles();

  /// Files of trained models that sessions began with, likewise.
  static QStringList recentModels();
  static void addRecentModel(const QString& path);

  static ThemeChoice theme();
  static void setTheme(ThemeChoice choice);
  static double zoom();
  static void setZoom(double zoom);

  static QByteArray geometry();
  /// Where the panels were in the document that was closed last, as PanelHost::arrangement().
  static QByteArray panels();
  static void setWindow(const QByteArray& geometry, const QByteArray& panels);

  /// Names of the user's own layouts, sorted.
  static QStringList layoutNames();
  static QByteArray layout(const QString& name);
  /// No bytes remove it.
  static void setLayout(const QString& name, const QByteArray& arrangement);

  /// The user's keys for a command, as QKeySequence::listToString; nothing when they are the
  /// product's.
  static std::optional<QString> shortcuts(const QString& command);
  static void setShortcuts(const QString& command, const std::optional<QString>& keys);

  /// Whether exported pictures have light colours.
  static bool printColours();
  static void setPrintColours(bool on);

  /// Whether the window says where to look next.
  static bool guidance();
  static void setGuidance(bool on);

  static CurveOptions curves();
  static void setCurves(const CurveOptions& options);

  /// Bytes per second that the memory of the target of this id moves, as it was measured; 0 when it
  /// was not.
  static double bandwidth(const std::string& target);
  static void setBandwidth(const std::string& target, double bytesPerSecond);

  /// The person's own command that starts workers, as it was typed; empty for this machine's. No
  /// document has a say in it.
  static QString workerCommand();
  /// Throws UsageError, and keeps what was set, when it cannot be read as a command.
  static void setWorkerCommand(const QString& line);

  /// The person's own program that is a search policy, with its arguments, as it was typed; empty
  /// for none.
  static QString policyProgram();
  /// Throws UsageError, and keeps what was set, when it cannot be read as a command.
  static void setPolicyProgram(const QString& line);

  /// Where new documents go: the folder used last, or the user's documents.
  static QString folder();
  static void setFolder(const QString& folder);
};

} // namespace nestwright::ui
