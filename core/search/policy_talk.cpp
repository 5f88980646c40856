#include "core/search/policy_talk.h"

#include "core/support/printable.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

namespace {

std::string lastLine(const std::string& text) {
  constexpr std::size_t kMostBytes = 200;
  const std::string line = text.substr(text.find_last_of('\n') + 1);
  return printableLine(line.substr(0, kMostBytes));
}

} // namespace

std::string sentence(const PolicyTalk& talk) {
  const std::string who = talk.name.empty() ? "the policy's program" : talk.name;
  std::string text;
  if (talk.given >= talk.asked)
    text = fmt::format("{} proposed {}", who, quantity(talk.given, "program"));
  else if (talk.given == 0)
    text = fmt::format("{} proposed none of {}; random draws took its place", who,
                       quantity(talk.asked, "program"));
  else
    text = fmt::format("{} proposed {} of {} programs, the others were drawn at random", who,
                       talk.given, talk.asked);
  std::vector<std::string> why = talk.remarks;
  if (!talk.failure.empty()) why.insert(why.begin(), talk.failure);
  if (!talk.printed.empty())
    why.push_back(fmt::format("it printed \"{}\"", lastLine(talk.printed)));
  if (!why.empty()) text += fmt::format(": {}", fmt::join(why, "; "));
  return text;
}

} // namespace nestwright
