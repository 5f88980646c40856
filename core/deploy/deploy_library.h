#pragma once
/// \file From what a person wants deployed to a folder with a library, whole or not at all.

#include "core/deploy/deploy_watch.h"
#include "core/deploy/write_library.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct DeployWish {
  std::string subject;  // as resolveSubject() takes it
  std::string database; // the file with the records
  std::string folder;   // to be written
  DeployOptions options;
  std::string target = "llvm"; // or "cuda", "cuda:sm_90"
  int cores = 0;               // that the programs were tuned for; 0: all of this machine
  bool force = false;          // replace a folder that deploy wrote
};

/// What would be inside, and what stands in the way.
struct DeploySurvey {
  Deployment deployment;                 // whatever records there are
  std::vector<std::string> otherTargets; // as otherTargets() says
  std::string missingTools;              // as missingTools() says; empty: it can be built
};
/// Looks neither at the folder nor at whether the name is one. Throws as draftDeployment(),
/// backend() and RecordStore::open() do.
DeploySurvey surveyDeploy(const DeployWish& wish);

/// What compiles a library for a target, "llvm", "cuda" or "cuda:sm_90", and for what (as
/// deployTarget() says). No device is opened. Throws UsageError for another target.
NetworkPlace deployPlace(const std::string& target, const RecordStore* store, int cores);

struct DeployedLibrary {
  Deployment deployment; // which knows what code runs each task
  WrittenLibrary written;
  std::string folder;
};
/// Compiles a deployment and puts its folder into its place, which requirePlace() has looked at.
/// Nothing remains where it throws, as compileLibrary() and writeLibrary() do, or where `watch`
/// does.
DeployedLibrary writeDeployment(Deployment deployment, const NetworkPlace& place,
                                const CTools& tools, const std::string& folder, bool force,
                                const DeployWatch& watch = {});
/// All of it; throws as planDeployment() and requirePlace(), too.
DeployedLibrary deployLibrary(const DeployWish& wish, const DeployWatch& watch = {});

/// Of several subgraphs of one ONNX model, deployed as operators of ONNX Runtime: writes the model
/// that calls all of them as model.onnx into the folder that theirs are in, and gives its path.
/// Nothing where they are no such subgraphs, which have their own model.onnx alone. Throws as
/// callingModel() does, and SystemError.
std::optional<std::string> writeCommonModel(const std::vector<DeployedLibrary>& libraries,
                                            const std::string& folder);

/// A line for a shell that builds the example beside the library and runs it.
std::string exampleCommand(const std::string& folder, const std::string& name);

} // namespace nestwright
