#pragma once
/// \file What imported records are: many of them lie together in a block, and their programs are
/// computed.

#include "core/record/format/stored_block.h"
#include "core/record/rows/record.h"
#include "core/record/store/step_shapes.h"

#include <list>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

/// Remembers what was read lately.
class ImportedPrograms {
 public:
  ImportedPrograms(sqlite::Database& db, StepShapes& shapes) : db_(db), shapes_(shapes) {}
  ImportedPrograms(const ImportedPrograms&) = delete;
  ImportedPrograms& operator=(const ImportedPrograms&) = delete;

  /// Adds what the row of an imported record does not hold. Its id, task and verdict are set.
  void read(Record& record, RowId shapeOfSteps);
  /// The program of an imported record, in hex.
  std::string program(RowId record, RowId task, RowId shapeOfSteps);
  /// Lets conditions on the connection ask for that, as kImportedProgram (filter_sql.h). This must
  /// stay where it is from then on.
  void addFunction();

 private:
  struct Block {
    StoredBlock stored;              // without its bytes
    std::string file;                // that it was imported from
    std::vector<std::string> traces; // by origin, of records with steps; made when first asked for
  };
  /// That holds the record. Throws InputError.
  Block& block(RowId record);
  /// What the programs of a task are programs of: its DAG, or its key where that is unknown.
  const std::string& taskText(RowId task);

  sqlite::Database& db_;
  StepShapes& shapes_;
  std::list<Block> blocks_; // that were read lately, the last one first
  std::unordered_map<RowId, std::string> taskTexts_;
};

} // namespace nestwright
