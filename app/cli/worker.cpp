#include "app/cli/verbs.h"
#include "core/execute/network_measurer.h"
#include "core/measure/measure.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace nestwright::cli {

void addWorker(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "worker", "Build and time programs for a session: framed requests on standard input");
  auto target = std::make_shared<std::string>("llvm");
  verb->add_option("--target", *target, "Whose programs: llvm, or cuda")->capture_default_str();
  verb->callback([target] {
    if (const int code = runWorker(*target); code != 0)
      throw SystemError(fmt::format("the worker ended with code {}", code));
  });
  CLI::App* networks = app.add_subcommand(
      "network-worker",
      "Build and time whole networks for a recombination: framed requests on standard input");
  auto place = std::make_shared<std::string>("llvm");
  networks->add_option("--target", *place, "Where they run: llvm, or cuda")->capture_default_str();
  networks->callback([place] {
    if (const int code = runNetworkWorker(*place); code != 0)
      throw SystemError(fmt::format("the worker ended with code {}", code));
  });
}

} // namespace nestwright::cli
