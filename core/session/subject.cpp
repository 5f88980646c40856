#include "core/session/subject.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/network/workloads.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {

namespace {

Subject fromDagFile(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw InputError(fmt::format("{}: cannot be read; a file with a compute DAG was expected", path));
  std::stringstream text;
  text << file.rdbuf();
  try {
    const std::string name = std::filesystem::path(path).stem();
    return {name, path, {{name, parseDag(text.str()), 1}}, false};
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
}

Subject fromWorkload(std::string_view text) {
  const Workload workload = parseTaskSpec(text);
  return {workload.text, workload.text, {{workload.text, workload.dag, 1}}, false};
}

} // namespace

Subject resolveSubject(std::string_view text) {
  if (text.ends_with(".dag")) return fromDagFile(std::string(text));
  return fromWorkload(text);
}

} // namespace nestwright
