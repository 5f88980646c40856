#pragma once
/// \file What a session works on, from the text that a person gives: a network of the zoo
/// (`resnet50:batch=1,image=224`), an ONNX file (`model.onnx`), one task of a network
/// (`resnet18#3`), an operator (`matmul:m=512,n=512,k=512`) or a compute DAG in a file (`my.dag`).

#include "core/network/partition/partition.h"
#include "core/tensor/compute_dag.h"

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct SessionConfig;

struct SubjectTask {
  std::string name; // short: "conv2d 56x56 64->64 k3 +relu"
  ComputeDag dag;
  double weight = 1; // appearances in the network
};

struct Subject {
  std::string name; // "resnet18"
  std::string spec; // complete text with all parameters
  std::vector<SubjectTask> tasks;
  bool isNetwork = false; // a whole network, which `run` can execute end to end
  /// What runs in a network beside its tasks: kernels that only move elements or map single ones,
  /// in which there is nothing to search for.
  std::vector<SubjectTask> unsearched = {};
};

/// With the alternatives that are asked for behind all other tasks. Throws InputError that names
/// the text, what is wrong, and what would work.
Subject resolveSubject(std::string_view text, Alternatives which = Alternatives::Off);

/// All of a session's subjects. Their names are made unique: two networks of one name are called by
/// their complete texts. Throws as resolveSubject, and UsageError when there is none or one twice.
std::vector<Subject> resolveSubjects(const std::vector<std::string>& texts,
                                     Alternatives which = Alternatives::Off);

/// Those of a session, with the alternatives that it searches.
std::vector<Subject> subjectsOf(const SessionConfig& config);

/// The position of the subject that a person means: by its text as it was given, or by its name
/// without parameters ("resnet18", "model" of models/model.onnx). Resolves nothing. Throws
/// UsageError that lists them when it is none of them, or more than one.
std::size_t subjectNamed(const std::vector<std::string>& texts, std::string_view name);

/// A latency of one of the subjects, as people give it: "resnet18=10ms", or only "10ms" when there
/// is one subject.
struct SubjectSeconds {
  std::size_t subject = 0;
  double seconds = 0;
};
/// Throws UsageError that says what is wrong.
SubjectSeconds parseSubjectSeconds(const std::vector<std::string>& texts, std::string_view text);

} // namespace nestwright
