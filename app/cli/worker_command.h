#pragma once
/// \file The option of the verbs that measure by which the person says how workers are started.

#include <string>

namespace CLI {
class App;
}

namespace nestwright::cli {

/// Adds --worker-command; what was given is read with workerLaunchFromText().
void addWorkerCommand(CLI::App& verb, std::string& line);

} // namespace nestwright::cli
