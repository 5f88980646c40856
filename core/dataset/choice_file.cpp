#include "core/dataset/choice_file.h"

#include "core/support/error.h"
#include "core/support/json_document.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace nestwright {

namespace {

class Words {
 public:
  void option(const char* name) { text_ += fmt::format(" {}", name); }
  template <class T>
  void option(const char* name, const T& value, const T& usual) {
    if (value == usual) return;
    option(name);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      for (const std::string& one : value)
        word(one);
    else if constexpr (std::is_same_v<T, std::string>)
      word(value);
    else
      word(fmt::format("{}", value));
  }
  std::string text() && { return std::move(text_); }

 private:
  void word(const std::string& text) { text_ += ' ' + shellWord(text); }
  std::string text_ = "nestwright dataset";
};

} // namespace

DataChoice readChoice(const std::string& file) {
  const nlohmann::json document = readDocument(file);
  try {
    return dataChoiceFromJson(document);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

void writeChoice(DataChoice choice, const std::string& file) {
  for (std::string& source : choice.files)
    source = std::filesystem::absolute(source).lexically_normal();
  writeDocument(file, "choice", toJson(choice));
}

std::string datasetCommand(const DataChoice& choice) {
  const DataChoice usual;
  Words words;
  words.option("--db", choice.files, usual.files);
  words.option("--filter", choice.filter, usual.filter);
  words.option("--target", choice.target, usual.target);
  if (choice.acrossTargets) words.option("--across-targets");
  words.option("--networks", choice.networks, usual.networks);
  words.option("--tasks", choice.tasks, usual.tasks);
  words.option("--label", std::string(name(choice.label)), std::string(name(usual.label)));
  if (!choice.keepFailures) words.option("--failures", std::string("drop"), std::string());
  words.option("--features", choice.features, usual.features);
  words.option("--least-programs", choice.leastPrograms, usual.leastPrograms);
  words.option("--draw-tasks", choice.drawnTasks, usual.drawnTasks);
  words.option("--draw-programs", choice.drawnPrograms, usual.drawnPrograms);
  words.option("--validation", choice.validationShare, usual.validationShare);
  if (choice.validateWholeTasks) words.option("--validate-whole-tasks");
  // --hold-out says the split by network, too.
  if (choice.split == SplitKind::ByNetwork)
    words.option("--hold-out", choice.holdOut, usual.holdOut);
  else
    words.option("--split", std::string(name(choice.split)), std::string(name(usual.split)));
  if (choice.split == SplitKind::WithinTasks || choice.split == SplitKind::ByTask)
    words.option("--test-share", choice.testShare, usual.testShare);
  if (choice.split == SplitKind::ByTarget)
    words.option("--test-target", choice.testTarget, usual.testTarget);
  words.option("--seed", choice.seed, usual.seed);
  return std::move(words).text();
}

} // namespace nestwright
