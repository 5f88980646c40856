#include "app/cli/data/model_text.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/record/store/store.h"
#include "core/session/insight/session_models.h"
#include "core/session/run/pretrained/model_named.h"
#include "core/support/error.h"
#include "core/support/units.h"
#include "core/training/export_model.h"
#include "core/training/model_summary.h"
#include "core/training/training_files.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct ModelsOptions {
  std::vector<std::string> files, databases;
  std::string form, output; // of an export
  bool begunWith = false, json = false;
};

/// A file that was asked about: what it has, or what is wrong with it.
struct Looked {
  std::string path;
  std::optional<ModelSummary> summary;
  std::string problem;
  std::optional<ModelFile> begunWith; // of a session
};

Looked look(const std::string& path) {
  Looked looked{path, {}, {}, {}};
  try {
    if (const std::optional<SessionName> name = sessionNamed(path)) {
      const RecordStore store = RecordStore::open(name->path, OpenMode::ReadOnly);
      const RowId session = sessionMeant(store, *name);
      looked.path = fmt::format("{}#{}", name->path, session);
      looked.begunWith = modelBegunWith(store, session);
    }
    looked.summary = summaryOf(modelNamed(looked.path));
  } catch (const Error& error) {
    looked.problem = error.what();
  }
  return looked;
}

/// Of a model alone all is told.
void printOne(const Looked& looked) {
  if (looked.summary) printModel(looked.path, looked.summary->file, true);
  if (!looked.begunWith) return;
  if (!looked.summary) cli::print("{}\n", looked.problem);
  cli::print("\n");
  printModel(looked.path + ", what it began with", *looked.begunWith, true);
}

void printList(const std::vector<Looked>& files) {
  std::vector<std::vector<std::string>> rows;
  for (const Looked& looked : files) {
    if (!looked.summary) {
      rows.push_back({looked.path, "", "", "", "", "", "", looked.problem});
      continue;
    }
    const ModelFile& file = looked.summary->file;
    const auto figure = [](const std::optional<PartFigures>& figures) {
      return figures ? fmt::format("{:.3f}", figures->top1) : std::string();
    };
    rows.push_back({looked.path, file.model, file.target, fmt::format("{}", file.tasks.size()),
                    fmt::format("{}", file.programs), figure(file.validation), figure(file.test),
                    looked.summary->problem});
  }
  printTable({"file", "model", "target", "tasks", "programs", "validation top-1", "test top-1", ""},
             rows, {3, 4, 5, 6});
}

void printSessions(const std::string& path, const std::vector<SessionModel>& models) {
  if (models.empty()) return cli::print("{}: no session kept a cost model\n", path);
  std::vector<std::vector<std::string>> rows;
  for (const SessionModel& model : models)
    rows.push_back({fmt::format("{}#{}", path, model.session), model.title, model.model,
                    model.features, model.target, fmt::format("{}", model.tasks),
                    formatBytes(static_cast<double>(model.bytes)), model.problem});
  printTable({"model of", "session", "model", "reads", "target", "tasks", "size", ""}, rows,
             {5, 6});
}

void exportModel(const ModelsOptions& options) {
  if (options.files.size() != 1 || !options.databases.empty())
    throw UsageError("one model is exported at once: name one file that `nestwright train` wrote");
  if (options.output.empty())
    throw UsageError("name the file to write the network to with --output");
  const std::string& path = options.files.front();
  const ModelFile file = modelNamed(path);
  writeOnnx(options.output, file);
  if (options.json)
    return printJson({{"file", path}, {"model", file.model}, {options.form, options.output}});
  cli::print("{}: the network of {}, {}\n", options.output, path, file.model);
}

/// Writes the model of a session as a file of its own.
void takeOut(const ModelsOptions& options) {
  const bool isOne = options.files.size() == 1 && options.databases.empty();
  const std::optional<SessionName> name =
      isOne ? sessionNamed(options.files.front()) : std::nullopt;
  if (!name)
    throw UsageError("a file is written of the model of one session, named as a.nwdb#2, or where "
                     "a model is exported (--export onnx)");
  requireFreePlace(options.output);
  const RecordStore store = RecordStore::open(name->path, OpenMode::ReadOnly);
  const RowId session = sessionMeant(store, *name);
  std::optional<ModelFile> file;
  if (!options.begunWith)
    file = learnedModel(store, session);
  else if (!(file = modelBegunWith(store, session)))
    throw InputError(
        fmt::format("session {} of {} began with no trained model", session, name->path));
  writeModelFile(options.output, *file);
  if (!options.json) return printModel(options.output, *file, false);
  json document = toJson(summaryOf(*file));
  document["file"] = options.output;
  printJson(document);
}

void models(const ModelsOptions& options) {
  if (!options.form.empty()) return exportModel(options);
  if (!options.output.empty()) return takeOut(options);
  if (options.files.empty() && options.databases.empty())
    throw UsageError("name files of trained models, or record files with --db");
  std::vector<Looked> files;
  for (const std::string& path : options.files)
    files.push_back(look(path));
  json document = {{"files", json::array()}, {"sessions", json::array()}};
  for (const Looked& looked : files) {
    json entry = looked.summary ? toJson(*looked.summary) : json({{"problem", looked.problem}});
    entry["file"] = looked.path;
    if (looked.begunWith) entry["began_with"] = toJson(summaryOf(*looked.begunWith));
    document["files"].push_back(std::move(entry));
  }
  if (!options.json && files.size() == 1)
    printOne(files.front());
  else if (!options.json && files.size() > 1)
    printList(files);
  for (const std::string& path : options.databases) {
    const std::vector<SessionModel> kept =
        sessionModels(RecordStore::open(path, OpenMode::ReadOnly));
    if (!options.json) printSessions(path, kept);
    for (const SessionModel& model : kept) {
      json entry = toJson(model);
      entry["db"] = path;
      document["sessions"].push_back(std::move(entry));
    }
  }
  if (options.json) printJson(document);
  for (const Looked& looked : files)
    if (!looked.summary && !looked.begunWith) throw InputError(looked.problem);
}

} // namespace

void addModels(CLI::App& app) {
  auto options = std::make_shared<ModelsOptions>();
  CLI::App* verb = app.add_subcommand("models", "Tell what files of trained cost models know");
  verb->footer(
      "Of one file all is told: the model, what it reads, the data that it learned from, its\n"
      "options, how the training went, and how well it orders programs that it did not learn "
      "from;\n"
      "of several a line each. `weights` is a hash of what was learned alone. With --db the "
      "models\n"
      "that sessions kept are listed. `nestwright evaluate` and `tune --pretrained` take them by\n"
      "these names; here one is told of as a file is, and written as a file with --output. What a\n"
      "session adds to a trained model is no model of its own; the one that it began with is told\n"
      "of, too, and written with --began-with.\n"
      "--export writes the network of one file for others to run: mlp, lstm, tlp and mtl-tlp as\n"
      "ONNX. Its text says what goes in and what comes out; rows are features as this program has\n"
      "them, what divides them is inside. Decision trees and treegru have no such form.\n\n"
      "  nestwright models mlp.nwm\n"
      "  nestwright models *.nwm --json\n"
      "  nestwright models --db a.nwdb\n"
      "  nestwright models a.nwdb#2 -o mine.nwm\n"
      "  nestwright models mlp.nwm --export onnx -o mlp.onnx");
  verb->add_option(
      "files", options->files,
      "Files that `nestwright train` wrote, and sessions that learned a model (a.nwdb#2)");
  verb->add_option("--db", options->databases, "Record files whose sessions' models are listed");
  CLI::Option* form =
      verb->add_option("--export", options->form, "Write the network of the one file, in this form")
          ->check(CLI::IsMember({"onnx"}));
  CLI::Option* output = verb->add_option("-o,--output", options->output,
                                         "File of the exported network, or of a session's model");
  verb->add_flag("--began-with", options->begunWith,
                 "With --output: the trained model that the session began with, in place of what "
                 "it learned")
      ->needs(output)
      ->excludes(form);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { models(*options); });
}

} // namespace nestwright::cli
