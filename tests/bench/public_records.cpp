#include "tests/bench/public_records.h"

#include "core/feature/statement_features.h"
#include "core/schedule/state.h"
#include "core/support/error.h"
#include "tests/schedule/oracle_tasks.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace nestwright::bench {
namespace {

struct Measured {
  std::string program;
  std::vector<float> rows;
  double seconds = 0;
};

std::vector<Measured> readTask(const std::string& path, const ComputeDag& dag) {
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("cannot read {}", path));
  std::vector<Measured> records;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    const Steps steps = stepsFromJson(record.at("i").at(1).at(1));
    Measured measured{programId(dag, steps), {}, record.at("r").at(0).at(0)};
    if (record.at("r").at(1) != 0) measured.seconds = std::numeric_limits<double>::infinity();
    for (const StatementFeatures& row : statementFeatures(State::replay(dag, steps)))
      measured.rows.insert(measured.rows.end(), row.values.begin(), row.values.end());
    records.push_back(std::move(measured));
  }
  return records;
}

} // namespace

DataSet publicRecords(const std::string& folder) {
  std::vector<std::vector<Measured>> tasks;
  std::size_t most = 0;
  for (const char* const task : test::kOracleTasks) {
    tasks.push_back(
        readTask(fmt::format("{}/{}.records.json", folder, task), test::oracleDag(task)));
    most = std::max(most, tasks.back().size());
  }
  DataSet set(kFeatureCount);
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t task = 0; task < tasks.size(); ++task)
      if (i < tasks[task].size())
        set.add(test::kOracleTasks[task], tasks[task][i].program, "zen5", tasks[task][i].rows,
                tasks[task][i].seconds);
  return set;
}

} // namespace nestwright::bench
