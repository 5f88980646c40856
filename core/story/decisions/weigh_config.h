#pragma once
/// \file What another configuration of a template comes to: whether it makes a program, which
/// record measured that, and whether the search may start from it. Made in the background.

#include "core/record/store/store.h"
#include "core/session/run/session_template.h"
#include "core/support/row_id.h"
#include "core/template/task_template.h"

#include <string>

namespace nestwright {

struct ConfigQuestion {
  RowId session = 0, task = 0;
  TemplateConfig config;
};

struct ConfigOutcome {
  std::string impossible; // why no program comes of it; empty where one does
  std::string programId;
  RowId measured = 0;           // the session's record of the same program, when there is one
  SeedFit seed = SeedFit::Fits; // for the session's search
};

/// Throws InputError when the file does not know the task.
ConfigOutcome weighConfig(const RecordStore& store, const ConfigQuestion& question);

} // namespace nestwright
