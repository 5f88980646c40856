#pragma once
/// \file The cost models that the sessions of a document learned and kept.

#include "core/support/row_id.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct SessionModel {
  RowId session = 0;
  std::string title; // of the session
  std::string model, features, target;
  std::size_t tasks = 0;
  std::size_t bytes = 0;
  std::string problem; // why it cannot be used here; empty when it can
};

/// Of all sessions that have one, in the order of the sessions.
std::vector<SessionModel> sessionModels(const RecordStore& store);

nlohmann::json toJson(const SessionModel& model);

} // namespace nestwright
