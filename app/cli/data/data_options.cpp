#include "app/cli/data/data_options.h"

#include "core/dataset/choice_file.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

namespace {

/// Adds an option that sets a member, when it is given, of whatever choice it is given on top of.
template <class T>
CLI::Option* addChange(CLI::App& verb, DataOptions& options, const std::string& name,
                       T DataChoice::*member, const std::string& what) {
  return verb.add_option_function<T>(
      name,
      [&options, member](const T& value) {
        options.changes.emplace_back([=](DataChoice& choice) { choice.*member = value; });
      },
      what);
}

void addFlag(CLI::App& verb, DataOptions& options, const std::string& name,
             bool DataChoice::*member, const std::string& what) {
  verb.add_flag_callback(
      name,
      [&options, member] {
        options.changes.emplace_back([=](DataChoice& choice) { choice.*member = true; });
      },
      what);
}

void addWhichRecords(CLI::App& verb, DataOptions& options) {
  addChange(verb, options, "--db", &DataChoice::files, "Record files");
  verb.add_option("--data", options.file,
                  "A choice of data that `nestwright dataset -o` wrote; other options change it");
  addChange(verb, options, "--filter", &DataChoice::filter,
            "Only records that this is true of, as `nestwright query` takes it");
  addChange(verb, options, "--target", &DataChoice::target,
            "Only records of this target: its id, or a part of it or of its text");
  addFlag(verb, options, "--across-targets", &DataChoice::acrossTargets,
          "Take records of several targets, each for itself; otherwise that is refused");
  addChange(verb, options, "--tasks", &DataChoice::tasks, "Only these tasks, by name or key");
  verb.add_option_function<std::string>(
      "--label",
      [&options](const std::string& label) {
        options.changes.emplace_back(
            [time = labelTimeNamed(label)](DataChoice& choice) { choice.label = time; });
      },
      "The time of a record: centre (the median of its repeats, as everywhere; default) or mean, "
      "as "
      "the papers have it");
  verb.add_option_function<std::string>(
          "--failures",
          [&options](const std::string& what) {
            options.changes.emplace_back(
                [keep = what == "keep"](DataChoice& choice) { choice.keepFailures = keep; });
          },
          "Programs that failed: keep, with label 0 (default), or drop")
      ->check(CLI::IsMember({"keep", "drop"}));
  addChange(
      verb, options, "--features", &DataChoice::features,
      "What models read: paper, lowered, or both with a comma between, each with ,flags behind it "
      "or not; steps; steps,fit (default: what the model in question was made for)");
}

void addParts(CLI::App& verb, DataOptions& options, const char* seed) {
  verb.add_option_function<std::vector<std::string>>(
      "--hold-out",
      [&options](const std::vector<std::string>& networks) {
        options.changes.emplace_back([=](DataChoice& choice) {
          choice.holdOut = networks;
          choice.split = SplitKind::ByNetwork;
        });
      },
      "Test on these networks or sets of them (zoo_test); every task that one of them has, by what "
      "it "
      "computes, is not learned from");
  verb.add_option_function<std::string>(
      "--split",
      [&options](const std::string& split) {
        options.split = splitKindNamed(split);
        options.changes.emplace_back(
            [kind = *options.split](DataChoice& choice) { choice.split = kind; });
      },
      "What is tested on: none, within-tasks (a share of each task's programs), by-task, "
      "by-network "
      "(--hold-out) or by-target (--test-target)");
  addChange(verb, options, "--test-share", &DataChoice::testShare,
            "Share of the programs that is tested on, within tasks and by task (0.1)");
  addChange(verb, options, "--test-target", &DataChoice::testTarget,
            "The target to test on, of a split by target");
  addChange(verb, options, "--validation", &DataChoice::validationShare,
            "Share of the training programs that validates (0.1); 0: none");
  addFlag(verb, options, "--validate-whole-tasks", &DataChoice::validateWholeTasks,
          "Validate with whole tasks");
  addChange(verb, options, "--least-programs", &DataChoice::leastPrograms,
            "Learn from no task with fewer programs (48)");
  addChange(verb, options, "--draw-tasks", &DataChoice::drawnTasks,
            "Learn from so many tasks, drawn by the seed; a smaller number takes part of them");
  addChange(verb, options, "--draw-programs", &DataChoice::drawnPrograms,
            "Learn from so many programs of each task, drawn in the same way");
  addChange(verb, options, seed, &DataChoice::seed, "Seed of all draws of data (0)");
}

} // namespace

void addDataOptions(CLI::App& verb, DataOptions& options, const DataOptionNames& names) {
  addWhichRecords(verb, options);
  if (names.networks)
    addChange(verb, options, "--networks", &DataChoice::networks,
              "Only tasks of these networks or sets of them");
  addParts(verb, options, names.seed);
}

DataChoice choiceOf(const DataOptions& options) {
  DataChoice choice = options.file.empty() ? DataChoice() : readChoice(options.file);
  // Networks that the file holds out belong to its own split; given beside another they are an
  // error.
  if (options.split && *options.split != SplitKind::ByNetwork) choice.holdOut.clear();
  for (const auto& change : options.changes)
    change(choice);
  checkChoice(choice);
  return choice;
}

} // namespace nestwright::cli
