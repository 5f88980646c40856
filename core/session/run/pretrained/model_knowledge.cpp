#include "core/session/run/pretrained/model_knowledge.h"

#include "core/record/format/target_facts.h"
#include "core/support/quantity.h"
#include "core/tensor/definition.h"

#include <fmt/ranges.h>

#include <set>

namespace nestwright {

namespace {

constexpr std::size_t kNamed = 3;

std::string named(const std::vector<std::string>& names) {
  const bool all = names.size() <= kNamed;
  return fmt::format("{}{}",
                     fmt::join(names.begin(), all ? names.end() : names.begin() + kNamed, ", "),
                     all ? "" : ", …");
}

/// "4 of 27 are", "all 27 are", "the only one is".
std::string countOf(std::size_t count, std::size_t all, const char* one, const char* several) {
  if (count == all && all == 1) return fmt::format("the only one here {}", one);
  if (count == all) return fmt::format("all {} here {}", all, several);
  return fmt::format("{} of {} {}", count, all, count == 1 ? one : several);
}

} // namespace

ModelKnowledge knowledgeOf(const ModelFile& file, const std::vector<Subject>& subjects,
                           const TargetFacts& target) {
  ModelKnowledge knowledge;
  knowledge.model = file.model;
  knowledge.trainedOn = file.tasks.size();
  knowledge.target = file.targetText.empty() ? file.target : file.targetText;
  // A recorded machine answers with the times of the machine itself.
  if (file.target != machineOf(target).id()) knowledge.here = target.text();
  knowledge.knowsKinds = !file.kinds.empty();
  std::set<std::string> met;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks) {
      const std::string definition = definitionHash(task.dag);
      if (!met.insert(definition).second) continue;
      ++knowledge.tasks;
      if (file.tasks.contains(definition))
        ++knowledge.seen;
      else if (file.kinds.contains(kindHash(task.dag)))
        ++knowledge.newShapes;
      else
        knowledge.others.push_back(task.name);
    }
  return knowledge;
}

std::string sentence(const ModelKnowledge& knowledge) {
  std::string text =
      fmt::format("the cost model {}, trained on {} of {}", knowledge.model,
                  quantity(std::int64_t(knowledge.trainedOn), "task"),
                  knowledge.target.empty() ? "a machine that it does not name" : knowledge.target);
  const auto count = [&](std::size_t tasks, const char* one, const char* several) {
    if (tasks > 0) text += "; " + countOf(tasks, knowledge.tasks, one, several);
  };
  count(knowledge.seen, "it has seen", "it has seen");
  count(knowledge.newShapes, "is a new shape of a kind it knows",
        "are new shapes of a kind it knows");
  if (knowledge.knowsKinds)
    count(knowledge.others.size(), "is of a kind it does not know",
          "are of kinds it does not know");
  else
    count(knowledge.others.size(), "is new to it", "are new to it");
  if (!knowledge.others.empty()) text += fmt::format(" ({})", named(knowledge.others));
  if (!knowledge.here.empty())
    text +=
        fmt::format(". This session tunes for another target, {}: which programs are faster may "
                    "carry over, how fast they are does not",
                    knowledge.here);
  return text;
}

} // namespace nestwright
