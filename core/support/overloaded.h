#pragma once
/// \file One handler for each alternative of a variant.

namespace nestwright {

/// To be visited with: std::visit(Overloaded{[](const A&) {...}, [](const B&) {...}}, variant).
template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>; // which Clang 14 does not work out itself

} // namespace nestwright
