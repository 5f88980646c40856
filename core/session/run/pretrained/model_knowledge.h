#pragma once
/// \file What a trained model knows of the tasks that a session is to tune.

#include "core/dataset/model_file.h"
#include "core/session/run/subject.h"
#include "core/target/target.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

struct ModelKnowledge {
  std::string model;         // "mlp"
  std::size_t trainedOn = 0; // tasks
  std::string target;        // that it was trained for, in words where the file has any
  std::string here;          // the session's target where that is another one; else empty
  /// Tasks of the session, each once by what it computes: all, those that the model has learned
  /// from, and of the others those that are shapes of a kind that it has learned from.
  std::size_t tasks = 0, seen = 0, newShapes = 0;
  /// The names of the rest, and whether it is known that they are of other kinds: files need not
  /// say which kinds they know.
  std::vector<std::string> others;
  bool knowsKinds = false;
};

ModelKnowledge knowledgeOf(const ModelFile& file, const std::vector<Subject>& subjects,
                           const TargetFacts& target);
/// "the cost model mlp, trained on 513 tasks of AVX-512; 4 of 27 are new shapes of a kind it
/// knows".
std::string sentence(const ModelKnowledge& knowledge);

} // namespace nestwright
