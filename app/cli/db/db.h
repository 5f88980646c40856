#pragma once
/// \file The verbs below `nestwright db`: the care of record files.

namespace CLI {
class App;
}

namespace nestwright::cli {

void addDbCheck(CLI::App& db);
void addDbCompact(CLI::App& db);
void addDbMerge(CLI::App& db);
void addDbSalvage(CLI::App& db);
void addDbSplit(CLI::App& db);
void addDbStats(CLI::App& db);

} // namespace nestwright::cli
