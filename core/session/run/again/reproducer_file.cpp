/// The file of a reproducer.

#include "core/session/run/again/reproducer.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/text.h"
#include "core/tensor/text.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace nestwright {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kKind = "nestwright reproducer";
constexpr int kFormat = 1;
/// A program has a few dozen steps, and a reason at most 64 KiB.
constexpr std::size_t kMaxBytes = 16 << 20;

/// One member a line, and one element of the longer lists.
std::string readable(const ordered_json& document) {
  std::vector<std::string> members;
  for (const auto& [key, value] : document.items()) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (value.is_array() && !value.empty()) {
      std::vector<std::string> lines;
      for (const ordered_json& element : value)
        lines.push_back("    " + element.dump(-1, ' ', false, json::error_handler_t::replace));
      text = fmt::format("[\n{}\n  ]", fmt::join(lines, ",\n"));
    }
    members.push_back(fmt::format("  \"{}\": {}", key, text));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(members, ",\n"));
}

Reproducer readDocument(const json& document) {
  Reproducer reproducer;
  reproducer.task = document.at("task");
  for (const json& line : document.at("dag"))
    reproducer.dag += line.get<std::string>() + "\n";
  reproducer.steps = stepsFromJson(document.at("steps"));
  document.at("recorded_steps").get_to(reproducer.recordedSteps);
  reproducer.verdict = verdictFromName(document.at("verdict").get<std::string>());
  reproducer.reason = document.at("reason");
  document.at("failing_step").get_to(reproducer.failingStep);
  reproducer.options = decidingOptionsFromJson(document.at("measure"));
  reproducer.target = document.at("target");
  reproducer.machine = document.at("machine");
  reproducer.product = document.at("product");
  return reproducer;
}

} // namespace

std::string toText(const Reproducer& reproducer) {
  ordered_json document;
  document["kind"] = kKind;
  document["format"] = kFormat;
  document["run_with"] = "nestwright reproduce FILE";
  document["task"] = reproducer.task;
  document["verdict"] = name(reproducer.verdict);
  document["failing_step"] = reproducer.failingStep;
  document["reason"] = reproducer.reason;
  document["dag"] = splitLines(reproducer.dag);
  document["steps"] = toJson(reproducer.steps);
  document["recorded_steps"] = reproducer.recordedSteps;
  document["measure"] = decidingOptions(reproducer.options);
  document["target"] = reproducer.target;
  document["machine"] = reproducer.machine;
  document["product"] = reproducer.product;
  return readable(document);
}

Reproducer reproducerFromText(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("kind", json()) != kKind)
    throw InputError("this is no reproducer; nestwright reproduce RECORD --db FILE.nwdb --output "
                     "FILE makes one");
  if (document.value("format", json()) != kFormat)
    throw InputError(fmt::format("the reproducer is of form {}, this program reads form {}; use "
                                 "the version of Nestwright that wrote it, {}",
                                 document.value("format", json()).dump(), kFormat,
                                 document.value("product", json()).dump()));
  try {
    Reproducer reproducer = readDocument(document);
    parseDag(reproducer.dag);
    const auto count = static_cast<int>(reproducer.steps.size());
    if (reproducer.failingStep < -1 || reproducer.failingStep >= count)
      throw InputError(fmt::format("failing_step is {}, of {}", reproducer.failingStep,
                                   quantity(count, "step")));
    if (reproducer.verdict == Verdict::Ok || saysNothing(reproducer.verdict))
      throw InputError(fmt::format("\"{}\" is no failure", name(reproducer.verdict)));
    return reproducer;
  } catch (const json::exception& e) {
    throw InputError(fmt::format("the reproducer cannot be read: {}", e.what()));
  }
}

void writeReproducer(const std::string& path, const Reproducer& reproducer) {
  // Exclusively: nothing that is there is overwritten, and no link is followed.
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  if (!file && errno == EEXIST)
    throw InputError(fmt::format("{} is there already; give another name", path));
  if (!file) throw SystemError(fmt::format("{}: {}", path, std::strerror(errno)));
  const std::string text = toText(reproducer);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int why = errno;
  const bool closed = std::fclose(file) == 0; // writes what is left
  if (written && closed) return;
  if (written) why = errno;
  std::remove(path.c_str());
  throw SystemError(fmt::format("{} cannot be written: {}", path, std::strerror(why)));
}

Reproducer readReproducer(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (!file.is_open() || file.bad())
    throw InputError(fmt::format("{}: cannot be read; a reproducer was expected", path));
  if (text.size() > kMaxBytes)
    throw InputError(fmt::format("{}: larger than any reproducer", path));
  try {
    return reproducerFromText(text);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
}

} // namespace nestwright
