#pragma once
/// \file Whether a library that deploy wrote fits the machine: whether it is whole, which of its
/// code runs here, and how many of its tasks were tuned on a processor like this one.

#include "core/deploy/fit.h"

#include <string>
#include <vector>

namespace nestwright {

struct LibraryFit {
  std::string processor;                 // that the code which runs here is for
  FitReport report;                      // of the tasks of that code
  std::vector<std::string> missingFiles; // that the manifest names, and that are not there
};

/// Of a folder; `machine` is this one, on all of its cores. Throws InputError where the manifest or
/// a file is not what deploy wrote, where nothing of the library runs here, and for a library for a
/// GPU.
LibraryFit fitOfLibrary(const std::string& folder, const TargetFacts& machine);

nlohmann::json toJson(const LibraryFit& fit);

} // namespace nestwright
