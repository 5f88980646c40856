#pragma once
/// \file Whether a library that deploy wrote fits the machine: whether it is whole, which of its
/// code runs here, and how many of its tasks were tuned on a processor or GPU like this one.

#include "core/deploy/fit.h"

#include <string>
#include <vector>

namespace nestwright {

struct LibraryFit {
  std::string processor;                 // that the code which runs here is for
  FitReport report;                      // of the tasks of that code
  std::vector<std::string> missingFiles; // that the manifest names, and that are not there
};

/// The name of the machine's target that the library of a folder is for, as targetNamed() takes it.
/// Throws InputError where the manifest is not what deploy wrote.
std::string targetNameOf(const std::string& folder);

/// Of a folder; `machine` is the target of that name, on all of its cores. Throws InputError where
/// the manifest or a file is not what deploy wrote, and where nothing of the library runs here.
LibraryFit fitOfLibrary(const std::string& folder, const TargetFacts& machine);

nlohmann::json toJson(const LibraryFit& fit);

} // namespace nestwright
