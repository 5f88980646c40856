#include "app/cli/worker_command.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

void addWorkerCommand(CLI::App& verb, std::string& line) {
  verb.add_option("--worker-command", line,
                  "Program that measures in place of this machine's `nestwright worker`, with its "
                  "arguments in one text: \"numactl -N 0 nestwright worker\", \"ssh HOST "
                  "bundle/bin/nestwright worker\". It holds for this run; the file keeps it in its "
                  "log, and never starts it");
}

} // namespace nestwright::cli
