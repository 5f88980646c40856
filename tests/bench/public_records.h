#pragma once
/// \file Measured programs of the public implementation, with our features, to judge models on.

#include "core/model/data_set.h"

#include <string>

namespace nestwright::bench {

/// Reads NAME.records.json of the five tasks in tests/schedule/oracle_tasks.h. Tasks take turns, so
/// that the set is as a session over all of them would have gathered it.
DataSet publicRecords(const std::string& folder);

} // namespace nestwright::bench
