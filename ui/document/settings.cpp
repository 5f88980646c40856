#include "ui/document/settings.h"

#include "core/measure/worker_launch.h"
#include "core/search/exec/policy_launch.h"
#include "ui/kit/theme_choice.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace nestwright::ui {
namespace {

QVariant read(const char* key, const QVariant& otherwise = {}) {
  return QSettings().value(QLatin1String(key), otherwise);
}
void write(const char* key, const QVariant& value) {
  QSettings().setValue(QLatin1String(key), value);
}

/// Puts the file first in the list of this key.
void addRecent(const char* key, const QString& path) {
  QStringList files = read(key).toStringList();
  const QString file = QFileInfo(path).absoluteFilePath();
  files.removeAll(file);
  files.prepend(file);
  write(key, QStringList(files.mid(0, Settings::kMaxRecent)));
}

} // namespace

QStringList Settings::recentModels() {
  return read("recent-models").toStringList();
}

void Settings::addRecentModel(const QString& path) {
  addRecent("recent-models", path);
}

QStringList Settings::recentFiles() {
  return read("recent").toStringList();
}

void Settings::addRecentFile(const QString& path) {
  addRecent("recent", path);
}

void Settings::clearRecentFiles() {
  write("recent", QStringList());
}

ThemeChoice Settings::theme() {
  const QString text = read("theme").toString();
  return text == QLatin1String("light")  ? ThemeChoice::Light
         : text == QLatin1String("dark") ? ThemeChoice::Dark
                                         : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice) {
  write("theme", choice == ThemeChoice::Light  ? "light"
                 : choice == ThemeChoice::Dark ? "dark"
                                               : "system");
}

double Settings::zoom() {
  return read("zoom", 1.0).toDouble();
}
void Settings::setZoom(double zoom) {
  write("zoom", zoom);
}

QByteArray Settings::geometry() {
  return read("window/geometry").toByteArray();
}

QByteArray Settings::panels() {
  return read("window/panels").toByteArray();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& panels) {
  write("window/geometry", geometry);
  write("window/panels", panels);
}

QStringList Settings::layoutNames() {
  QStringList names = read("layouts").toMap().keys();
  names.sort(Qt::CaseInsensitive);
  return names;
}

QByteArray Settings::layout(const QString& name) {
  return read("layouts").toMap().value(name).toByteArray();
}

void Settings::setLayout(const QString& name, const QByteArray& arrangement) {
  // One map under one key: a name may hold any characters.
  QVariantMap layouts = read("layouts").toMap();
  if (arrangement.isEmpty())
    layouts.remove(name);
  else
    layouts.insert(name, arrangement);
  write("layouts", layouts);
}

std::optional<QString> Settings::shortcuts(const QString& command) {
  const QVariantMap keys = read("shortcuts").toMap();
  const auto found = keys.find(command);
  return found == keys.end() ? std::nullopt : std::optional(found->toString());
}

void Settings::setShortcuts(const QString& command, const std::optional<QString>& keys) {
  QVariantMap map = read("shortcuts").toMap();
  if (keys)
    map.insert(command, *keys);
  else
    map.remove(command);
  write("shortcuts", map);
}

bool Settings::printColours() {
  return read("export/printColours", true).toBool();
}

void Settings::setPrintColours(bool on) {
  write("export/printColours", on);
}

bool Settings::guidance() {
  return read("guidance", true).toBool();
}

void Settings::setGuidance(bool on) {
  write("guidance", on);
}

CurveOptions Settings::curves() {
  CurveOptions options;
  options.x =
      read("curves/x").toString() == QLatin1String("time") ? XAxis::WallTime : XAxis::Trials;
  const QString y = read("curves/y").toString();
  options.y = y == QLatin1String("throughput") ? YAxis::Throughput
              : y == QLatin1String("speed-up") ? YAxis::SpeedUp
              : y == QLatin1String("peak")     ? YAxis::Peak
                                               : YAxis::Latency;
  options.logarithmic = read("curves/log", true).toBool();
  options.showTasks = read("curves/tasks", true).toBool();
  options.showTrials = read("curves/trials", true).toBool();
  options.onlyProgress = read("curves/progress", true).toBool();
  return options;
}

void Settings::setCurves(const CurveOptions& options) {
  write("curves/x", options.x == XAxis::Trials ? "trials" : "time");
  write("curves/y", options.y == YAxis::Throughput ? "throughput"
                    : options.y == YAxis::SpeedUp  ? "speed-up"
                    : options.y == YAxis::Peak     ? "peak"
                                                   : "latency");
  write("curves/log", options.logarithmic);
  write("curves/tasks", options.showTasks);
  write("curves/trials", options.showTrials);
  write("curves/progress", options.onlyProgress);
}

double Settings::bandwidth(const std::string& target) {
  return read("machine/bandwidth").toMap().value(QString::fromStdString(target)).toDouble();
}

void Settings::setBandwidth(const std::string& target, double bytesPerSecond) {
  QVariantMap known = read("machine/bandwidth").toMap();
  known.insert(QString::fromStdString(target), bytesPerSecond);
  write("machine/bandwidth", known);
}

QString Settings::workerCommand() {
  return read("worker/command").toString();
}

void Settings::setWorkerCommand(const QString& line) {
  workerLaunchFromText(line.toStdString());
  write("worker/command", line.trimmed());
}

QString Settings::policyProgram() {
  return read("policy/program").toString();
}

void Settings::setPolicyProgram(const QString& line) {
  if (!line.trimmed().isEmpty()) policyLaunchFromText("exec:" + line.toStdString());
  write("policy/program", line.trimmed());
}

QString Settings::folder() {
  QString folder = read("folder").toString();
  if (!folder.isEmpty() && QFileInfo(folder).isDir()) return folder;
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return documents.isEmpty() || !QFileInfo(documents).isDir() ? QDir::homePath() : documents;
}

void Settings::setFolder(const QString& folder) {
  write("folder", folder);
}

} // namespace nestwright::ui
