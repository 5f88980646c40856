#include "core/session/session.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;

<<<<<<< HEAD
=======
namespace {

json toJson(const MeasureOptions& o) {
  return {{"threads", o.threads},
          {"builders", o.builders},
          {"warmups", o.warmups},
          {"repeats", o.repeats},
          {"min_repeat_seconds", o.minRepeatSeconds},
          {"max_total_seconds", o.maxTotalSeconds},
          {"flush_cache", o.flushCache},
          {"build_timeout_seconds", o.buildTimeoutSeconds},
          {"run_timeout_seconds", o.runTimeoutSeconds},
          {"reference_timeout_seconds", o.referenceTimeoutSeconds},
          {"memory_limit_bytes", o.memoryLimitBytes},
          {"bytes_per_worker", o.bytesPerWorker},
          {"jobs_per_worker", o.jobsPerWorker},
          {"input_seed", o.inputSeed},
          {"relative_tolerance", o.relativeTolerance},
          {"absolute_tolerance", o.absoluteTolerance},
          {"worker_command", o.workerCommand}};
}

MeasureOptions measureOptionsFromJson(const json& j) {
  MeasureOptions o;
  j.at("threads").get_to(o.threads);
  j.at("builders").get_to(o.builders);
  j.at("warmups").get_to(o.warmups);
  j.at("repeats").get_to(o.repeats);
  j.at("min_repeat_seconds").get_to(o.minRepeatSeconds);
  j.at("max_total_seconds").get_to(o.maxTotalSeconds);
  j.at("flush_cache").get_to(o.flushCache);
  j.at("build_timeout_seconds").get_to(o.buildTimeoutSeconds);
  j.at("run_timeout_seconds").get_to(o.runTimeoutSeconds);
  j.at("reference_timeout_seconds").get_to(o.referenceTimeoutSeconds);
  j.at("memory_limit_bytes").get_to(o.memoryLimitBytes);
  j.at("bytes_per_worker").get_to(o.bytesPerWorker);
  j.at("jobs_per_worker").get_to(o.jobsPerWorker);
  j.at("input_seed").get_to(o.inputSeed);
  j.at("relative_tolerance").get_to(o.relativeTolerance);
  j.at("absolute_tolerance").get_to(o.absoluteTolerance);
  j.at("worker_command").get_to(o.workerCommand);
  return o;
}

} // namespace

>>>>>>> 1f52d7b (Drive the command line end to end, kill -9 included)
json toJson(const SessionConfig& c) {
  return {{"subject", c.subject},
          {"trials", c.trials},
          {"max_seconds", c.maxSeconds},
          {"trials_per_round", c.trialsPerRound},
          {"seed", c.seed},
          {"policy", c.policy},
          {"measure", toJson(c.measure)}};
}

SessionConfig sessionConfigFromJson(const json& j) {
  SessionConfig c;
  try {
    j.at("subject").get_to(c.subject);
    j.at("trials").get_to(c.trials);
    j.at("max_seconds").get_to(c.maxSeconds);
    j.at("trials_per_round").get_to(c.trialsPerRound);
    j.at("seed").get_to(c.seed);
    j.at("policy").get_to(c.policy);
    c.measure = measureOptionsFromJson(j.at("measure"));
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the session's stored settings cannot be read ({}); the file may "
                                 "come from another version of Nestwright",
                                 e.what()));
  }
  return c;
}

} // namespace nestwright
