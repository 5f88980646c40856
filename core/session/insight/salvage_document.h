#pragma once
/// \file What can be read of a damaged document, as a new one that can be opened.

#include "core/record/care/salvage_file.h"

namespace nestwright {

/// Calls salvageFile(): a session whose settings are lost is there as an import, which has records
/// and nothing to go on with.
SalvageReport salvageDocument(const std::string& damaged, const std::string& into,
                              const std::atomic<bool>& stop,
                              const std::function<void(const SalvageProgress&)>& onProgress = {});

} // namespace nestwright
