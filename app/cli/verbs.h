#pragma once
/// \file The verbs of the command line, one file each. Every function adds its subcommand; errors
/// leave as exceptions and become exit codes in main: UsageError 2, any other Error 1.

namespace CLI {
class App;
}

namespace nestwright::cli {

void addNetworks(CLI::App& app);
void addSubgraphs(CLI::App& app);
void addTasks(CLI::App& app);
void addSketches(CLI::App& app);
void addTemplates(CLI::App& app);
void addSeeds(CLI::App& app);
void addSample(CLI::App& app);
void addTune(CLI::App& app);
void addCollect(CLI::App& app);
void addMeasure(CLI::App& app);
void addRun(CLI::App& app);
void addDeploy(CLI::App& app);
void addFit(CLI::App& app);
void addRecombine(CLI::App& app);
void addCross(CLI::App& app);
void addPolish(CLI::App& app);
void addRace(CLI::App& app);
void addShow(CLI::App& app);
void addSession(CLI::App& app);
void addReproduce(CLI::App& app);
void addQuery(CLI::App& app);
void addForget(CLI::App& app);
void addImport(CLI::App& app);
void addExport(CLI::App& app);
void addDataset(CLI::App& app);
void addTrain(CLI::App& app);
void addEvaluate(CLI::App& app);
void addModels(CLI::App& app);
void addTravel(CLI::App& app);
void addDb(CLI::App& app);
void addWorker(CLI::App& app);
void addDoctor(CLI::App& app);

} // namespace nestwright::cli
