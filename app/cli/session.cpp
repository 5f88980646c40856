#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/story/read_story.h"
#include "core/story/story_json.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <memory>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct SessionOptions {
  std::string database;
  RowId session = 0, task = 0; // 0: the newest; all
  bool byTime = false, share = false, json = false;
  int samples = 11, rows = 20, most = 20'000;
};

/// The session that is asked about, or the newest.
SessionContents contentsOf(const RecordStore& store, RowId session) {
  if (session != 0) return readContents(store, sessionRow(store, session).id);
  const std::vector<SessionRow> all = store.sessions().all();
  return readContents(store, all.empty() ? 0 : all.back().id);
}

void checkTask(const SessionContents& contents, RowId task) {
  const auto isIt = [&](const TaskEntry& entry) { return entry.row.id == task; };
  if (task != 0 && std::ranges::none_of(contents.tasks, isIt))
    throw InputError(
        fmt::format("session {} has no task {}; nestwright db stats FILE lists those of the file",
                    contents.session.id, task));
}

const std::string& nameOf(const SessionContents& contents, RowId task) {
  static const std::string others = "other tasks";
  for (const TaskEntry& entry : contents.tasks)
    if (entry.row.id == task) return entry.row.name;
  return others;
}

json tasksJson(const SessionContents& contents) {
  json tasks = json::array();
  for (const TaskEntry& entry : contents.tasks)
    tasks.push_back({{"task", entry.row.id}, {"name", entry.row.name}});
  return tasks;
}

/// What is told, with which session it is of.
void printStory(const SessionContents& contents, json story) {
  story["session"] = contents.session.id;
  story["title"] = contents.session.title;
  if (const std::string machine = recordedSettings(contents.session).machine; !machine.empty())
    story["machine"] = machine;
  printJson(story);
}

void printCurves(const SessionContents& contents, const TuningHistory& history, RowId task) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string name, std::int64_t trial, double wall, double seconds,
                       double flops, std::string record) {
    rows.push_back({std::move(name), fmt::format("{}", trial), formatDuration(wall),
                    formatSeconds(seconds), formatFlopRate(flops / seconds), std::move(record)});
  };
  for (const TaskHistory& of : history.tasks()) {
    if (task != 0 && of.task != task) continue;
    for (const BestPoint& best : of.bests)
      add(nameOf(contents, of.task), best.trial, best.wallSeconds, best.seconds, of.flops,
          fmt::format("{}", best.record));
  }
  if (task == 0)
    for (const TotalPoint& point : history.total())
      add(point.complete ? "total" : "total, naive where untuned", point.trial, point.wallSeconds,
          point.seconds, history.totalFlops(), "");
  printTable({"task", "trial", "after", "best latency", "throughput", "record"}, rows, {1, 5});
}

void curves(const SessionOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const SessionContents contents = contentsOf(store, options.session);
  checkTask(contents, options.task);
  const TuningHistory history = readHistory(store, contents);
  if (!options.json) return printCurves(contents, history, options.task);
  json story = toJson(history);
  if (options.task != 0) {
    std::erase_if(story["tasks"].get_ref<json::array_t&>(),
                  [&](const json& task) { return task["task"] != options.task; });
    story.erase("total");
  }
  for (json& task : story["tasks"])
    task["name"] = nameOf(contents, task["task"]);
  printStory(contents, std::move(story));
}

void printAllocation(const SessionContents& contents, const Allocation& given, bool byTime,
                     bool share) {
  std::vector<std::string> headers{"task"};
  std::vector<int> right;
  for (const double x : given.x) {
    headers.push_back(byTime ? formatDuration(x) : fmt::format("trial {:.0f}", x));
    right.push_back(static_cast<int>(right.size()) + 1);
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t b = 0; b < given.bands.size(); ++b) {
    std::vector<std::string> row{nameOf(contents, given.bands[b].task)};
    for (std::size_t i = 0; i < given.x.size(); ++i) {
      const double below = b > 0 ? given.bands[b - 1].top[i] : 0;
      row.push_back(
          fmt::format(fmt::runtime(share ? "{:.1f} %" : "{:.0f}"), given.bands[b].top[i] - below));
    }
    rows.push_back(std::move(row));
  }
  printTable(headers, rows, right);
}

void showAllocation(const SessionOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const SessionContents contents = contentsOf(store, options.session);
  std::vector<AllocationTask> tasks;
  for (const TaskEntry& entry : contents.tasks)
    tasks.push_back({entry.row.id, entry.rank, true});
  const Allocation given =
      allocation(readHistory(store, contents), tasks,
                 options.byTime ? XAxis::WallTime : XAxis::Trials, options.share, options.samples);
  if (!options.json) return printAllocation(contents, given, options.byTime, options.share);
  json story = toJson(given);
  story["axis"] = options.byTime ? "wall_seconds" : "trials";
  story["unit"] = options.share ? "percent" : "trials";
  story["tasks"] = tasksJson(contents);
  printStory(contents, std::move(story));
}

void surprises(const SessionOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const SessionContents contents = contentsOf(store, options.session);
  checkTask(contents, options.task);
  const Predictions predictions =
      readPredictions(store, contents.session.id, readHistory(store, contents), options.most);
  const std::vector<const PredictedProgram*> worst =
      worstSurprises(predictions.between(0, std::numeric_limits<int>::max(), options.task),
                     static_cast<std::size_t>(options.rows));
  if (options.json) {
    json programs = json::array();
    for (const PredictedProgram* program : worst)
      programs.push_back(toJson(*program));
    return printStory(contents, {{"predicted", predictions.programs().size()},
                                 {"tasks", tasksJson(contents)},
                                 {"surprises", std::move(programs)}});
  }
  if (predictions.empty())
    return cli::print("session {} has no program of which a cost model had an opinion\n",
                      contents.session.id);
  std::vector<std::vector<std::string>> rows;
  for (const PredictedProgram* program : worst)
    rows.push_back({fmt::format("{}", program->record), nameOf(contents, program->task),
                    fmt::format("{}", program->trial), fmt::format("{}", program->round),
                    fmt::format("{:.3f}", program->expected()),
                    fmt::format("{:.3f}", program->share), formatSeconds(program->seconds)});
  printTable({"record", "task", "trial", "round", "predicted", "measured", "latency"}, rows,
             {0, 2, 3, 4, 5});
}

CLI::App* addPart(CLI::App& session, const char* name, const char* what,
                  const std::shared_ptr<SessionOptions>& options) {
  CLI::App* verb = session.add_subcommand(name, what);
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option("--session", options->session, "Which session (default: the newest)");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  return verb;
}

void addTaskOption(CLI::App* verb, const std::shared_ptr<SessionOptions>& options) {
  verb->add_option("--task", options->task, "Only this task (its id in the file)");
}

} // namespace

void addSession(CLI::App& app) {
  auto options = std::make_shared<SessionOptions>();
  CLI::App* session =
      app.add_subcommand("session", "What happened in a session, as the window's views show it");
  session->require_subcommand(1);

  CLI::App* verb = addPart(
      *session, "curves",
      "Every improvement of each task and of the weighted total, with when it came", options);
  addTaskOption(verb, options);
  verb->callback([options] { curves(*options); });

  verb = addPart(*session, "allocation", "How many trials each task had been given, over time",
                 options);
  verb->add_option("--samples", options->samples, "At so many evenly spaced points")
      ->check(between(2, 10'000))
      ->capture_default_str();
  verb->add_flag("--by-time", options->byTime, "Over tuning time, not over trials");
  verb->add_flag("--share", options->share, "In percent of all trials up to there");
  verb->callback([options] { showAllocation(*options); });

  verb =
      addPart(*session, "surprises",
              "The programs that the cost model was most wrong about. Predicted and measured are "
              "shares of the throughput of the task's fastest program known then",
              options);
  addTaskOption(verb, options);
  verb->add_option("--rows", options->rows, "At most so many")
      ->check(between(1, 1'000'000))
      ->capture_default_str();
  verb->add_option("--newest", options->most, "Of the newest trials, so many are looked at")
      ->check(between(1, 10'000'000))
      ->capture_default_str();
  verb->callback([options] { surprises(*options); });
}

} // namespace nestwright::cli
