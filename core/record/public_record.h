#pragma once
/// \file One record in the public format of TVM's auto-scheduler (reference/ansor.md 5.3).

#include "core/record/store.h"

#include <string>

namespace nestwright {

/// The record as one line of a public log, without a line end.
std::string publicRecord(const TaskRow& task, const TargetRow& target, const Record& record);

} // namespace nestwright
