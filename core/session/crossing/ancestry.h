#pragma once
/// \file The family tree of a program: from which programs it was bred, back to random ones.

#include "core/schedule/step.h"
#include "core/search/origin.h"
#include "core/support/row_id.h"
#include "core/template/task_template.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

class RecordStore;

struct Ancestor {
  std::string program; // programId
  Origin origin = Origin::Unknown;
  std::vector<std::string> parents; // programIds, of ancestors that are in the list
  Steps steps;
  std::optional<TemplateConfig> config; // of a template's program
  std::optional<double> score;          // predicted when it was bred
  RowId record = 0;                     // 0: it was never measured
  double seconds = 0;                   // measured; infinity for an error or without a record
  int depth = 0;                        // generations above the program that was asked for
  RowId session = 0; // another session of the file, when that measured or bred it
  RowId task = 0;    // another task of the file, whose program was re-fitted: the steps are of that
};

/// The program itself and all of its ancestors that the file knows, each once, nearest first. A
/// program that was only bred is looked up in the generations of `round`, or of the round that
/// measured its descendant. What this session does not know is looked up among what the others of
/// the file measured for the task, for parents may be theirs. Of another task there is the record
/// that a remembered program was re-fitted from, and nothing before that. Empty when the file does
/// not know the program.
std::vector<Ancestor> ancestors(const RecordStore& store, RowId session, RowId task,
                                const std::string& program, int round = 0);

} // namespace nestwright
