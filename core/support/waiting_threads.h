#pragma once
/// \file How threads of kernels wait for each other. libgomp reads it from the environment before
/// main, so it has to stand there when a process starts (handbook/stack.md 2).

#include <string>
#include <vector>

namespace nestwright {

/// "NAME=VALUE" for the environment of a process that runs kernels: waiting threads spin for some
/// 60 us, within which the next region of a network begins, and then sleep, so that they do not
/// take the processors from everybody else.
std::vector<std::string> waitingEnvironment();

/// Whether this process was started with it, or with settings of its user's.
bool hasWaitingEnvironment();

/// For processes that this one starts from now on.
void setWaitingEnvironment();

} // namespace nestwright
