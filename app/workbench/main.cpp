#include "app/workbench/export.h"
#include "app/workbench/screenshot.h"
#include "app/workbench/view_screenshots.h"
#include "core/plugin/plugin.h"
#include "core/support/process.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/first_size.h"
#include "ui/window/main_window.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QFileInfo>
#include <QProcess>
#include <QScreen>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace nestwright;

struct Options {
  std::string file, subject, screenshot, screenshots, size = "1400x900", theme;
  std::string pictureLog;
  std::vector<std::string> exports, pictures; // VIEW=FILE; names
  SessionConfig config;
  RowId session = 0;
  bool start = false, firstRun = false;
  double after = 5;
};

/// Reads the command line; a number when the program should end with it.
std::optional<int> readOptions(Options& options, int argc, char** argv) {
  CLI::App app("The Nestwright workbench: tune tensor programs and watch the search.");
  app.set_version_flag("--version", NESTWRIGHT_VERSION);
  app.add_option("file", options.file, "document to open, or to make with --new");
  auto* subject = app.add_option("--new", options.subject,
                                 "make a session: a network, an operator, or an ONNX file");
  app.add_option("--trials", options.config.trials, "budget of the new session")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.config.seed, "seed of the new session");
  app.add_option("--threads", options.config.measure.threads,
                 "threads of the tuned kernels; 0: all")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--session", options.session, "show this session of the document")
      ->check(CLI::PositiveNumber);
  app.add_flag("--start", options.start, "start tuning at once");
  app.add_flag("--first-run", options.firstRun,
               "without a file: open a document with resnet18, ready to start");
  app.add_option("--theme", options.theme, "light, dark or system, for this window alone")
      ->check(CLI::IsMember({"light", "dark", "system"}));
  auto* exports = app.add_option("--export", options.exports,
                                 "VIEW=FILE: write a view of the document to a file (.png, .svg, "
                                 ".pdf, .csv, .jsonl) and end; may be repeated")
                      ->allow_extra_args(false); // what follows may be the document
  auto* shot = app.add_option("--screenshot", options.screenshot, "save a picture there and end");
  auto* shots = app.add_option("--screenshots", options.screenshots,
                               "FOLDER: save pictures of every view of the document there, in both "
                               "themes and two sizes, and end");
  app.add_option("--picture", options.pictures, "only these of --screenshots; may be repeated")
      ->allow_extra_args(false)
      ->needs(shots);
  app.add_option("--picture-log", options.pictureLog,
                 "log to import for the picture of an import")
      ->needs(shots)
      ->check(CLI::ExistingFile);
  app.add_option("--size", options.size, "size of the window for pictures");
  app.add_option("--after", options.after, "seconds to wait before the picture")->needs(shot);
  try {
    app.parse(argc, argv);
    if (*subject && options.file.empty())
      throw CLI::ValidationError("--new", "name the file to save the session to as well");
    if (*exports && options.file.empty())
      throw CLI::ValidationError("--export", "name the document as well");
    for (const std::string& text : options.exports)
      if (text.find('=') == std::string::npos)
        throw CLI::ValidationError("--export", "write VIEW=FILE, as in curves=curves.svg");
    if (*shots && options.file.empty())
      throw CLI::ValidationError("--screenshots", "name the document as well");
    if (*exports && *shot)
      throw CLI::ValidationError("--export", "one of --export and --screenshot at a time");
    if ((*shot || *exports) && sizeFromText(ui::qs(options.size)).isEmpty())
      throw CLI::ValidationError("--size", "write WIDTHxHEIGHT, as in 1400x900");
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

void begin(ui::MainWindow& window, const Options& options) {
  if (!options.subject.empty()) {
    SessionConfig config = options.config;
    config.subjects = {options.subject};
    window.makeSession(ui::qs(options.file), config, options.start);
  } else if (!options.file.empty()) {
    window.openFile(ui::qs(options.file), options.start, options.session);
  } else if (options.firstRun) {
    const QString file = ui::dataFolder() + QStringLiteral("/resnet18.nwdb");
    SessionConfig config = options.config;
    config.subjects = {"resnet18"};
    if (QFileInfo::exists(file))
      window.openFile(file, options.start);
    else
      window.makeSession(file, config, options.start);
  }
}

} // namespace

int main(int argc, char** argv) {
  prepareProcess();
  shareHeaps();
  useTemplatesOfPlugins();
  QApplication::setApplicationName(QStringLiteral("nestwright"));
  QApplication::setOrganizationName(QStringLiteral("nestwright"));
  QApplication::setApplicationDisplayName(QStringLiteral("Nestwright"));
  QApplication::setApplicationVersion(QStringLiteral(NESTWRIGHT_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("nestwright-workbench"));
  Options options;
  // Before the display is needed, so that --help works everywhere.
  if (const std::optional<int> exit = readOptions(options, argc, argv)) return *exit;
  QApplication application(argc, argv);
  // A picture shows the window as it comes, and leaves no trace in the user's settings.
  const QTemporaryDir settings;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  const bool batch =
      !options.screenshot.empty() || !options.screenshots.empty() || !options.exports.empty();
  if (batch) QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  ui::MainWindow window(ui::coreCatalogue());
  if (!options.theme.empty())
    ui::Theme::instance().choose(options.theme == "dark"    ? ui::ThemeChoice::Dark
                                 : options.theme == "light" ? ui::ThemeChoice::Light
                                                            : ui::ThemeChoice::System);
  // A process of its own: what happens to one document cannot touch another.
  QObject::connect(&window, &ui::MainWindow::windowRequested, [](const QStringList& arguments) {
    QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments);
  });
  if (!batch && ui::Settings::geometry().isEmpty()) // the first time: no larger than the screen
    window.resize(ui::firstSize(window.size(), window.screen()->availableGeometry()));
  window.show();
  begin(window, options);
  if (!options.exports.empty()) {
    QStringList texts;
    for (const std::string& text : options.exports)
      texts.append(ui::qs(text));
    exportViews(window, texts, sizeFromText(ui::qs(options.size)));
  }
  if (!options.screenshots.empty()) {
    ViewPictures pictures{ui::qs(options.screenshots), {}, ui::qs(options.pictureLog)};
    for (const std::string& name : options.pictures)
      pictures.names.append(ui::qs(name));
    takeViewScreenshots(window, pictures);
  }
  if (!options.screenshot.empty())
    takeScreenshot(window, ui::qs(options.screenshot), sizeFromText(ui::qs(options.size)),
                   options.after);
  return QApplication::exec();
}
