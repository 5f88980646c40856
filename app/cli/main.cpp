#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/backend/device_error.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/process.h"
#include "core/support/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <sstream>

using namespace nestwright;

namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;
constexpr int kNoDevice = 3; // the machine has none, or not the one that was asked for

int report(const std::string& message, int code) {
  cli::print(stderr, "nestwright: {}\n", message);
  return code;
}

/// What stands where a verb should, in a sentence; empty where nothing does.
std::string strangeVerb(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string path = "nestwright";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::vector<std::string> rest = at->remaining();
  if (rest.empty() || at->get_require_subcommand_min() == 0) return {};
  return fmt::format("{} has no {} \"{}\"; {} --help lists what there is", path,
                     rest.front().starts_with('-') ? "option" : "verb", rest.front(), path);
}

/// Help, the version, or what is wrong with the command line.
int report(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    if (const std::string strange = strangeVerb(app); !strange.empty())
      return report(strange, kWrongUsage);
  std::ostringstream out, problem;
  const int code = app.exit(error, out, problem);
  cli::printText(stdout, out.str());
  cli::printText(stderr, problem.str());
  return code == 0 ? 0 : kWrongUsage;
}

} // namespace

int main(int argc, char** argv) {
  prepareProcess();
  useTemplatesOfPlugins();
  // Standard output belongs to results.
  spdlog::set_default_logger(spdlog::stderr_color_mt("nestwright"));
  spdlog::set_level(spdlog::level::warn);

  CLI::App app("Nestwright tunes tensor programs: it searches for fast loop nests on this machine.",
               "nestwright");
  app.set_version_flag("--version", versionText());
  app.require_subcommand(1);
  app.fallthrough(false);
  cli::addNetworks(app);
  cli::addSubgraphs(app);
  cli::addTasks(app);
  cli::addSketches(app);
  cli::addTemplates(app);
  cli::addSeeds(app);
  cli::addSample(app);
  cli::addTune(app);
  cli::addCollect(app);
  cli::addMeasure(app);
  cli::addRun(app);
  cli::addDeploy(app);
  cli::addFit(app);
  cli::addRecombine(app);
  cli::addCross(app);
  cli::addPolish(app);
  cli::addRace(app);
  cli::addShow(app);
  cli::addSession(app);
  cli::addReproduce(app);
  cli::addQuery(app);
  cli::addForget(app);
  cli::addImport(app);
  cli::addExport(app);
  cli::addDataset(app);
  cli::addTrain(app);
  cli::addEvaluate(app);
  cli::addModels(app);
  cli::addTravel(app);
  cli::addDb(app);
  cli::addWorker(app);
  cli::addDoctor(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    return report(app, e);
  } catch (const UsageError& e) {
    return report(e.what(), kWrongUsage);
  } catch (const DeviceError& e) {
    const int code = report(e.what(), e.fault() == DeviceFault::Absent ? kNoDevice : kFailure);
    // The driver's own clean-up would wait for the kernel that does not end.
    if (e.fault() == DeviceFault::OutOfTime) std::_Exit(code);
    return code;
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory for this", kFailure);
  } catch (const std::exception& e) {
    return report(e.what(), kFailure);
  }
}
