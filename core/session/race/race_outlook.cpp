#include "core/session/race/race_outlook.h"

#include "core/network/graph/workloads.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"

#include <fmt/format.h>

namespace nestwright {

RaceOutlook raceOutlook(const RaceWish& wish, double secondsPerTrial) {
  checkRace(wish);
  RaceOutlook outlook;
  outlook.tasks = raceTasks(wish.tasks);
  outlook.sessions =
      outlook.tasks.size() * wish.racers.size() * static_cast<std::size_t>(wish.seeds);
  const bool isByTime = wish.config.maxSeconds > 0;
  outlook.seconds =
      double(outlook.sessions) *
      (isByTime ? wish.config.maxSeconds : double(wish.config.trials) * secondsPerTrial);
  return outlook;
}

std::string raceTaskOf(const std::vector<std::string>& subjects, const std::string& key) {
  for (const std::string& text : subjects) {
    try {
      const Subject subject = resolveSubject(text);
      for (std::size_t i = 0; i < subject.tasks.size(); ++i)
        if (workloadKey(subject.tasks[i].dag) == key)
          return subject.isNetwork ? fmt::format("{}#{}", subject.spec, i) : subject.spec;
    } catch (const InputError&) { // a file that was moved, or a plug-in that is not there
    }
  }
  return {};
}

} // namespace nestwright
