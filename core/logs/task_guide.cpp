#include "core/logs/task_guide.h"

#include "core/logs/dag_text.h"
#include "core/logs/tvm_tasks.h"
#include "core/network/zoo/shared_tasks.h"
#include "core/network/zoo/zoo.h"
#include "core/record/format/public_record.h"
#include "core/support/error.h"
#include "core/support/text_limit.h"
#include "core/target/target_json.h"
#include "core/target/target_text.h"
#include "core/template/task_template.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 96;

/// The platform that TenSet names by the folder: measure_records/PLATFORM/(TASK,KIND).json.
std::string platformOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.parent_path().filename() == "measure_records" ? folder.filename().string() : "";
}

bool isHash(const std::string& text) {
  constexpr std::size_t kMd5 = 32;
  return text.size() == kMd5 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Numbers, shapes and tensors of a workload's arguments in few letters.
std::string argumentText(const json& argument, int depth = 0) {
  constexpr int kDeepest = 4;
  if (argument.is_string()) return argument.get<std::string>();
  if (depth == kDeepest || argument.is_object()) return "...";
  if (!argument.is_array()) return argument.dump();
  const bool tensor = argument.size() == 3 && argument[0] == "TENSOR" && argument[1].is_array();
  const json& list = tensor ? argument[1] : argument;
  std::vector<std::string> parts;
  for (const json& item : list)
    parts.push_back(argumentText(item, depth + 1));
  return fmt::format("{}", fmt::join(parts, "x"));
}

/// "conv2d_nhwc 1 56 56 64 256 1 1 1 0" from ["conv2d_nhwc", 1, 56, ...].
std::string nameOf(const std::string& key) {
  const json parsed = json::parse(key, nullptr, false);
  std::string name = key;
  if (parsed.is_array() && !parsed.empty() && parsed[0].is_string()) {
    name = parsed[0].get<std::string>();
    if (isHash(name)) name = "subgraph " + name.substr(0, 8);
    for (std::size_t i = 1; i < parsed.size(); ++i) {
      // AutoTVM puts its arguments into a list of their own.
      const bool nested =
          parsed[i].is_array() && i == 1 && parsed.size() == 3 && parsed[2].is_object();
      if (parsed[i].is_object()) continue;
      if (!nested) {
        name += " " + argumentText(parsed[i]);
        continue;
      }
      for (const json& argument : parsed[i])
        if (!argument.is_null()) name += " " + argumentText(argument);
    }
  }
  if (name.size() <= kLongestName) return name;
  return std::string(beginning(name, kLongestName - 3)) + "...";
}

} // namespace

/// What was read from files that users gave, or found in the zoo.
struct TaskGuide::Impl {
  bool matchZoo = false, zooRead = false;
  std::map<std::string, TaskGuess> byKey;
  struct Given { // belongs to whatever it fits
    std::string path, text, reason;
    bool used = false;
  };
  std::vector<Given> given;
  std::vector<PassedOver> problems;
  std::set<std::string> refused; // keys of tasks that no template computes
  /// The zoo's tasks by shapeNumbers(), and by their own keys.
  std::multimap<std::vector<std::int64_t>, TaskGuess> zoo;
  std::map<std::string, TaskGuess> zooByKey;

  void readJson(const std::string& path, const std::string& text);
  void readZoo();
  bool takeGiven(const ImportedTask& task, const Steps& steps);
  bool takeTemplate(const ImportedTask& task, const std::string& path);
  const TaskGuess* find(const ImportedTask& task, const std::string& path, const Steps& steps);
  TaskGuess guessed; // the last one that find() made
};

void TaskGuide::Impl::readJson(const std::string& path, const std::string& text) {
  try {
    const json tasks = json::parse(text);
    for (const auto& item : tasks.items()) {
      const json& entry = item.value();
      if (!entry.is_object() || !entry.contains("workload_key") || !entry.contains("compute_dag"))
        continue;
      const auto key = entry["workload_key"].get<std::string>();
      std::string reason;
      if (const auto dag = dagOfText(entry["compute_dag"].get<std::string>(), key, reason))
        byKey[key] = {item.key(), *dag};
      else
        problems.push_back({path, fmt::format("\"{}\" is left out: {}", item.key(), reason)});
    }
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{}: is no JSON of tasks: {}", path, error.what()));
  }
}

void TaskGuide::Impl::readZoo() {
  std::vector<std::string> networks;
  for (const ZooEntry& entry : nestwright::zoo())
    networks.push_back(entry.name);
  for (const SharedTask& shared : sharedTasks(networks)) {
    const TaskGuess guess{shared.task.description, shared.task.dag};
    zoo.emplace(shapeNumbers(guess.dag), guess);
    zooByKey[shared.task.key] = guess;
  }
  zooRead = true;
}

bool TaskGuide::Impl::takeGiven(const ImportedTask& task, const Steps& steps) {
  for (Given& text : given) {
    const auto dag = dagOfText(text.text, task.key, text.reason);
    if (!dag || !fits(*dag, steps)) continue;
    guessed = {std::filesystem::path(text.path).stem().string(), *dag};
    return text.used = true;
  }
  return false;
}

/// AutoTVM's tasks say what they are: a template and its arguments.
bool TaskGuide::Impl::takeTemplate(const ImportedTask& task, const std::string& path) {
  const std::optional<LoggedTask> logged = loggedTask(task.key);
  if (!logged || !isExecutable(*logged->kind)) return false;
  try {
    guessed = {nameOf(task.key), templateTask(*logged->kind, logged->arguments)};
    return true;
  } catch (const InputError& error) {
    if (refused.insert(task.key).second)
      problems.push_back({path, fmt::format("what {} computes is not known, so its "
                                            "configurations have no programs: {}",
                                            nameOf(task.key), error.what())});
    return false;
  }
}

const TaskGuess* TaskGuide::Impl::find(const ImportedTask& task, const std::string& path,
                                       const Steps& steps) {
  // Steps tell whether extents that were completed are those of the task.
  if (const auto known = byKey.find(task.key);
      known != byKey.end() && (steps.empty() || fits(known->second.dag, steps)))
    return &known->second;
  if (takeTemplate(task, path)) return &guessed;
  if (steps.empty()) return nullptr;
  if (takeGiven(task, steps)) return &guessed;
  for (const TaskGuess& guess : guessTasks(task.key))
    if (fits(guess.dag, steps)) {
      guessed = guess;
      return &guessed;
    }
  if (!matchZoo) return nullptr;
  if (!zooRead) readZoo();
  if (const auto known = zooByKey.find(task.key); known != zooByKey.end()) return &known->second;
  const auto [first, last] = zoo.equal_range(keyNumbers(task.key));
  for (auto guess = first; guess != last; ++guess)
    if (fits(guess->second.dag, steps)) return &guess->second;
  return nullptr;
}

TaskGuide::TaskGuide(const std::vector<std::string>& dagFiles, bool matchZoo)
    : impl_(std::make_unique<Impl>()) {
  impl_->matchZoo = matchZoo;
  for (const std::string& path : dagFiles) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
      throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos && text[begin] == '{')
      impl_->readJson(path, text);
    else
      impl_->given.push_back({path, text, "its shapes are others", false});
  }
}

TaskGuide::~TaskGuide() = default;

std::vector<PassedOver> TaskGuide::problems() const {
  std::vector<PassedOver> problems = impl_->problems;
  for (const Impl::Given& text : impl_->given)
    if (!text.used) problems.push_back({text.path, "fits no task of these logs: " + text.reason});
  return problems;
}

TaskKnowledge TaskGuide::describe(const ImportedTask& task, const std::string& path,
                                  const Steps& steps) {
  TaskKnowledge knowledge;
  TargetFacts facts = targetFromText(task.target, task.hardware);
  if (facts.modelName.empty()) facts.modelName = platformOf(path);
  json stored = toJson(facts);
  stored[kLogHardware] = task.hardware;
  stored[kLogHost] = task.host;
  knowledge.facts = stored.dump();
  knowledge.target = !facts.modelName.empty() ? facts.modelName : facts.backend;
  knowledge.name = nameOf(task.key);
  if (const TaskGuess* known = impl_->find(task, path, steps)) {
    knowledge.name = known->name;
    knowledge.dag = print(known->dag);
    knowledge.flops = flops(known->dag);
  }
  return knowledge;
}

} // namespace nestwright
