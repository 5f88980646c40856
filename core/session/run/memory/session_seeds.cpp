#include "core/session/run/memory/session_seeds.h"

#include "core/plugin/plugin.h"
#include "core/session/run/session_template.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/travel/seed_file.h"

#include <set>
#include <utility>

namespace nestwright {

namespace {

class SeedCheck {
 public:
  SeedCheck(const SessionConfig& config, const TargetFacts& target)
      : config_(config), space_(spaceOptionsFor(target, drawsOf(config.rules))), target_(target) {
    space_.tf32 = config.tf32;
  }

  /// Why the task's search cannot begin with it; empty where it can. `program` is what it is then.
  std::string problemOf(const ComputeDag& task, const SeedProgram& seed,
                        RecordProgram& program) const {
    const bool onTemplates = config_.space == SearchSpace::Templates;
    std::optional<TaskTemplate> of;
    if (onTemplates)
      of = chosenTemplate(task, templateNames(config_.templates), templateMachine(config_.target))
               .of;
    switch (seedFit(onTemplates, of, seed.config)) {
    case SeedFit::Fits:
      break;
    case SeedFit::OtherTemplate:
      return of ? fmt::format(
                      "the search goes over the configurations of {}, and it is none of them",
                      of->kind->name)
                : "there is no template to search";
    case SeedFit::SearchesSketches:
      return "the search goes over sketches, and it is a program of the template " +
             seed.config->kind;
    }
    try {
      program = made(task, seed);
      const State state = withBounds(State::replay(program.dag, program.steps));
      if (const std::optional<Illegality> illegal = illegality(
              state, space_, seed.config ? KernelLimits::Templates : KernelLimits::Sketches))
        return fmt::format("it is illegal on {}: {}", target_.id(), illegal->text);
    } catch (const IllegalSchedule& error) {
      return fmt::format("it is illegal: {}", error.what());
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

 private:
  static RecordProgram made(const ComputeDag& task, const SeedProgram& seed) {
    if (!seed.config) return {task, seed.steps};
    TemplateProgram program = templateProgram(task, *seed.config);
    return {std::move(program.dag), std::move(program.steps), seed.config};
  }

  const SessionConfig& config_;
  SpaceOptions space_;
  const TargetFacts& target_;
};

NamedProgram namedProgram(const SeedProgram& seed) {
  NamedProgram named{0, seed.steps};
  Trace& trace = named.trace.emplace();
  trace.origin = Origin::Seed;
  trace.config = seed.config;
  trace.reason = seed.reason;
  return named;
}

} // namespace

std::size_t SessionSeeds::count() const {
  std::size_t count = 0;
  for (const auto& [task, seeds] : programs)
    count += seeds.size();
  return count;
}

std::string SessionSeeds::problem() const {
  if (count() > 0) return {};
  if (unusable.empty()) return "the file with the seeds has no program";
  return fmt::format("none of the {} can be taken; the first: {} of {}: {}",
                     quantity(std::ssize(unusable), "seed"), unusable.front().program,
                     unusable.front().task, unusable.front().why);
}

SessionSeeds sessionSeeds(const SessionConfig& config, const std::vector<Subject>& subjects,
                          const TargetFacts& target) {
  SessionSeeds seeds;
  if (config.seeds.empty()) return seeds;
  std::map<std::string, const ComputeDag*> tasks;
  for (const Subject& subject : subjects)
    for (const SubjectTask& task : subject.tasks)
      tasks.emplace(workloadKey(task.dag), &task.dag);
  const SeedCheck check(config, target);
  std::set<std::pair<std::string, std::string>> taken; // task and program
  for (const SeedProgram& seed : readSeeds(config.seeds)) {
    const auto leaveOut = [&](std::string why) {
      seeds.unusable.push_back({seed.taskName, seed.program, std::move(why)});
    };
    const auto task = tasks.find(seed.task);
    if (task == tasks.end()) {
      leaveOut("its task is not one of the session's");
      continue;
    }
    RecordProgram program;
    if (std::string why = check.problemOf(*task->second, seed, program); !why.empty()) {
      leaveOut(std::move(why));
      continue;
    }
    if (taken.emplace(seed.task, programId(program.dag, program.steps)).second)
      seeds.programs[seed.task].push_back(namedProgram(seed));
  }
  return seeds;
}

std::vector<std::string> unusableText(const SessionSeeds& seeds) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts; // by task and reason
  for (const UnusableSeed& seed : seeds.unusable)
    ++counts[{seed.task, seed.why}];
  std::vector<std::string> lines;
  for (const auto& [of, count] : counts)
    lines.push_back(
        fmt::format("{} of {}: {}", quantity(std::int64_t(count), "seed"), of.first, of.second));
  return lines;
}

} // namespace nestwright
