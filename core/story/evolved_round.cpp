#include "core/story/evolved_round.h"

#include "core/record/store/evolution_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/support/error.h"

#include <algorithm>
#include <unordered_map>

namespace nestwright {

int EvolvedRoundData::indexOf(const std::string& program) const {
  const auto found = std::ranges::find(row.programs, program, &EvolvedProgram::program);
  return found == row.programs.end() ? -1 : static_cast<int>(found - row.programs.begin());
}

EvolvedRoundData readEvolvedRound(const RecordStore& store, RowId session, int round,
                                  RowId newest) {
  std::optional<EvolutionRow> row = store.evolutions().of(session, round);
  if (!row) throw InputError(fmt::format("The file keeps no generations of round {}.", round));
  EvolvedRoundData data{std::move(*row), {}};
  std::unordered_map<std::string, RowId> records;
  for (ProgramRecord& measured : store.trials().programRecords(session, data.row.task))
    records.emplace(std::move(measured.program), measured.record);
  for (const EvolvedProgram& program : data.row.programs) {
    MeasuredTime time;
    if (const auto found = records.find(program.program);
        found != records.end() && found->second <= newest)
      if (const std::optional<Record> record = store.records().one(found->second))
        time = {record->id, record->result.latency()};
    data.measured.push_back(time);
  }
  return data;
}

} // namespace nestwright
