#pragma once
/// \file Cost models for comparing programs that were measured with others that were not: each
/// measured one is judged by a model that has learned from everything but itself.

#include "core/search/search_policy.h"
#include "core/support/row_id.h"

#include <memory>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;
struct SessionConfig;

struct JudgeRequest {
  RowId session = 0, task = 0;
  std::vector<std::string> judged; // programIds of the task
};

struct Judges {
  std::vector<std::unique_ptr<CostScorer>> models;
  std::vector<const CostScorer*> of; // of one of them for each judged program; empty for none
  std::string refusal;               // why there are none, in a sentence
};

/// The session's own model knows the programs that it learned from by heart, and what was lucky
/// when it was measured it takes for fast: the fastest of a session have scores that hardly any new
/// program reaches, whatever it is worth. So each is left out of what its judge learns from, as in
/// cross-validation: of all that the session measured (on demand too, and whichever its search
/// policy), but of a large session the fastest of the task and the newest of all. Ten judges at
/// most; with more programs several share one. There are none when too little was measured besides,
/// or the model's plugin is missing.
Judges impartialJudges(const RecordStore& store, const SessionConfig& config,
                       const JudgeRequest& request);

} // namespace nestwright
