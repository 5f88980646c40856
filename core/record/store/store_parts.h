#pragma once
/// \file The inside of a RecordStore: a connection, and the parts that use it.

#include "core/record/sql/sqlite.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/mark_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/stored_records.h"
#include "core/record/store/tag_rows.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"

namespace nestwright {

struct RecordStore::Impl {
  explicit Impl(sqlite::Database connection) : db(std::move(connection)) {}

  sqlite::Database db;
  StoredRecords storedRecords{db};
  NetworkRows networks{db};
  TargetRows targets{db};
  TaskRows tasks{db};
  SessionRows sessions{db};
  RecordRows records{db, storedRecords};
  TrialRows trials{db};
  TagRows tags{db};
  EventRows events{db};
  MarkRows marks{db};
  EvolutionRows evolutions{db};
  ModelRows models{db};
  RecombinationRows recombinations{db};
  ChoiceRows choices{db};
};

} // namespace nestwright
