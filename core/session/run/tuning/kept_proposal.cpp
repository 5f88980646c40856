#include "core/session/run/tuning/kept_proposal.h"

#include "core/search/mutation.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

using nlohmann::json;

std::string toText(const Proposal& proposal) {
  json candidates = json::array();
  for (const Candidate& candidate : proposal.candidates)
    candidates.push_back({{"steps", toJson(candidate.steps)}, {"trace", toJson(candidate.trace)}});
  return json{{"candidates", std::move(candidates)},
              {"next_draw", proposal.nextDraw},
              {"shortage", proposal.shortage}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Proposal proposalFromText(const std::string& text, const ComputeDag& dag,
                          const SpaceOptions& options) {
  try {
    const json stored = json::parse(text);
    Proposal proposal;
    for (const json& of : stored.at("candidates")) {
      Candidate& candidate = proposal.candidates.emplace_back();
      candidate.steps = stepsFromJson(of.at("steps"));
      candidate.trace = traceFromJson(of.at("trace"));
      std::string why;
      if (!legalProgram(dag, candidate.steps, options, &why))
        throw InputError(fmt::format("a stored candidate of the open round is not legal: {}", why));
      candidate.programId = programId(dag, candidate.steps);
    }
    stored.at("next_draw").get_to(proposal.nextDraw);
    stored.at("shortage").get_to(proposal.shortage);
    return proposal;
  } catch (const json::exception& error) {
    throw InputError(fmt::format("the stored candidates of the open round cannot be read ({}); the "
                                 "file was altered or is damaged",
                                 error.what()));
  }
}

} // namespace nestwright
