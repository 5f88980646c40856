#pragma once
/// \file Whether the test is built with a sanitizer that keeps what was freed and needs address
/// space of its own, so that nothing can be said of memory.

namespace nestwright::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace nestwright::test
