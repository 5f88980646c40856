#pragma once
/// \file A task for policies in processes of their own, and the programs of these.

#include "core/exec_policy/exec_policy.h"
#include "core/plugin/plugin.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/search/mutation.h"
#include "tests/tensor/tvm_dags.h"

#include <QString>

#include <set>

namespace nestwright::test {

/// A product of matrices on a processor with two cores.
struct AskedTask {
  ComputeDag dag = matmul(64, 64, 64);
  SpaceOptions space = spaceOf();
  std::vector<Sketch> sketches = generateSketches(dag, space, sketchRules("nestwright,paper"));
  std::set<std::string> measured;

  static SpaceOptions spaceOf() {
    SpaceOptions options;
    options.target.cores = 2;
    options.target.vectorBytes = 32;
    return options;
  }

  SearchContext context() const {
    SearchContext context;
    context.dag = &dag;
    context.taskKey = "matmul";
    context.sketches = &sketches;
    context.space = space;
    context.seed = 20261126;
    context.round = 1;
    context.known = [this](const std::string& id) { return measured.contains(id); };
    return context;
  }
};

/// A policy of a command that ends within `seconds` or is late.
inline ExecPolicy policyOf(std::vector<std::string> command, double seconds = 20) {
  PolicyLaunch launch;
  launch.command = std::move(command);
  launch.answerSeconds = seconds;
  return {launch, execPolicyName(launch.command)};
}

/// The interpreter; empty where there is none.
inline std::string python() {
  return QStandardPaths::findExecutable(QStringLiteral("python3")).toStdString();
}
inline std::string exampleOf(const char* name) {
  return std::string(NESTWRIGHT_SOURCE "/resources/policies/") + name;
}

} // namespace nestwright::test
