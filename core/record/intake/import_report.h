#pragma once
/// \file What a file tells of the logs that were imported into it, now or long ago. As in
/// document_file.h each call opens the file by itself.

#include "core/record/format/import_rows.h"

#include <string>
#include <vector>

namespace nestwright {

/// The logs that were read, in the order in which that began; 0 stands for all sessions.
std::vector<ImportSource> importSources(const std::string& path, RowId session = 0);

/// A line that is no record, and its log.
struct SourceProblem {
  RowId source = 0;
  LineProblem problem;
};
/// The broken lines after one, by log and line; of a source the file keeps the first 10,000.
std::vector<SourceProblem> importProblems(const std::string& path, RowId session = 0,
                                          const SourceProblem& after = {}, int limit = 1000);

} // namespace nestwright
