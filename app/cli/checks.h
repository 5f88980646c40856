#pragma once
/// \file What options may be: CLI11's checks, in sentences that a person can use.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace nestwright::cli {

/// A finite number from 0 on.
CLI::Validator notNegative();
/// A finite number above 0.
CLI::Validator positive();
/// A finite number from one to another.
CLI::Validator between(double low, double high);
/// One of these words, some of which may have commas in them; the option's help says what they are.
CLI::Validator oneOf(std::vector<std::string> words);
/// What is wrong with the name of a verdict; empty when nothing is.
std::string verdictProblem(const std::string& name);

} // namespace nestwright::cli
