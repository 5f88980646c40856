#include "core/session/run/subject.h"

#include "core/network/graph/workloads.h"
#include "core/network/partition/partition.h"
#include "core/network/zoo/zoo.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/units.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace nestwright {

namespace {

Subject fromDagFile(const std::string& path) {
  // Nothing else is waited for: the name may come from a document.
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    throw InputError(
        fmt::format("{}: is no regular file; a file with a compute DAG was expected", path));
  std::ifstream file(path);
  if (!file)
    throw InputError(
        fmt::format("{}: cannot be read; a file with a compute DAG was expected", path));
  std::stringstream text;
  text << file.rdbuf();
  try {
    const std::string name = std::filesystem::path(path).stem();
    const std::string spec = std::filesystem::weakly_canonical(path);
    return {name, spec, {{name, parseDag(text.str()), 1}}, false};
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
}

Subject fromWorkload(std::string_view text, Alternatives which) {
  const Workload workload = parseTaskSpec(text);
  Subject subject{workload.text, workload.text, {{workload.text, workload.dag, 1}}, false};
  if (which == Alternatives::All)
    for (const Workload& other : alternativesOf(workload))
      subject.tasks.push_back(
          {fmt::format("{}, {}", workload.text, alternativeOf(other.dag)->name), other.dag, 1});
  return subject;
}

Subject fromNetwork(std::string_view text, Alternatives which) {
  const Network network = parseNetworkSpec(text);
  const Partition parts = optimisedPartition(network, which);
  Subject subject{network.name, specText(network), {}, true};
  for (const Task& task : parts.tasks)
    (task.tunable ? subject.tasks : subject.unsearched)
        .push_back({task.description, task.dag, static_cast<double>(task.weight)});
  for (const Task& task : parts.tasks)
    for (const Alternative& other : task.alternatives)
      subject.tasks.push_back({fmt::format("{}, {}", task.description, other.name), other.dag,
                               static_cast<double>(task.weight)});
  if (subject.tasks.empty())
    throw InputError(fmt::format("{}: nothing in this network is worth tuning (it only moves "
                                 "elements)",
                                 text));
  return subject;
}

/// `NETWORK#index`.
Subject fromNetworkTask(std::string_view text, std::size_t hash, Alternatives which) {
  const std::string_view number = text.substr(hash + 1);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc() || end != number.data() + number.size())
    throw InputError(
        fmt::format("{}: after # the index of a task was expected, as in resnet18#3", text));
  const Subject network = fromNetwork(text.substr(0, hash), which);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      network.tasks, [](const SubjectTask& task) { return !alternativeOf(task.dag); }));
  if (index >= count)
    throw InputError(fmt::format("{}: {} has tasks 0 to {}; nestwright tasks {} lists them", text,
                                 network.spec, count - 1, text.substr(0, hash)));
  SubjectTask task = network.tasks[index];
  const std::string definition = workloadHash(task.dag);
  task.weight = 1;
  const std::string spec = fmt::format("{}#{}", network.spec, index);
  Subject subject{spec, spec, {std::move(task)}, false};
  for (std::size_t i = count; i < network.tasks.size(); ++i)
    if (alternativeOf(network.tasks[i].dag)->definition == definition) {
      subject.tasks.push_back(network.tasks[i]);
      subject.tasks.back().weight = 1;
    }
  return subject;
}

/// Without parameters, folder and ending.
std::string shortName(const std::string& text) {
  return std::filesystem::path(text.substr(0, text.find(':'))).stem();
}

} // namespace

Subject resolveSubject(std::string_view text, Alternatives which) {
  if (text.ends_with(".dag")) return fromDagFile(std::string(text));
  if (isTaskSpec(text)) return fromWorkload(text, which);
  if (const std::size_t hash = text.rfind('#'); hash != std::string_view::npos)
    return fromNetworkTask(text, hash, which);
  return fromNetwork(text, which);
}

std::vector<Subject> resolveSubjects(const std::vector<std::string>& texts, Alternatives which) {
  if (texts.empty()) throw UsageError("a session needs a network or a task to tune");
  std::vector<Subject> subjects;
  std::map<std::string, int> names;
  std::set<std::string> specs;
  for (const std::string& text : texts) {
    subjects.push_back(resolveSubject(text, which));
    if (!specs.insert(subjects.back().spec).second)
      throw UsageError(fmt::format("{} is given twice; a session tunes each of its networks once",
                                   subjects.back().spec));
    ++names[subjects.back().name];
  }
  for (Subject& subject : subjects)
    if (names[subject.name] > 1) subject.name = subject.spec;
  return subjects;
}

std::vector<Subject> subjectsOf(const SessionConfig& config) {
  return resolveSubjects(config.subjects, alternativesNamed(config.alternatives));
}

std::size_t subjectNamed(const std::vector<std::string>& texts, std::string_view name) {
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (name == texts[i]) return i;
    if (name == shortName(texts[i])) meant.push_back(i);
  }
  if (meant.size() == 1) return meant.front();
  throw UsageError(fmt::format("\"{}\" is {} what this session tunes: {}", name,
                               meant.empty() ? "none of" : "more than one of",
                               fmt::join(texts, ", ")));
}

SubjectSeconds parseSubjectSeconds(const std::vector<std::string>& texts, std::string_view text) {
  const std::size_t mark = text.rfind('=');
  if (mark != std::string_view::npos)
    return {subjectNamed(texts, text.substr(0, mark)), parseSeconds(text.substr(mark + 1))};
  if (texts.size() == 1) return {0, parseSeconds(text)};
  throw UsageError(fmt::format("\"{}\": of several networks, name the one that is meant, as in "
                               "{}=10ms",
                               text, texts.empty() ? "resnet18" : shortName(texts.front())));
}

} // namespace nestwright
