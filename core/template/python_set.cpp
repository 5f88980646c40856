#include "core/template/python_set.h"

#include <algorithm>
#include <cstddef>

namespace nestwright {

namespace {

/// An open hash table as CPython keeps it: a number is its own hash, a place that is taken is
/// followed by the next few, then by places that the higher bits of the hash say.
class PythonSet {
 public:
  /// Of a list: added one by one.
  explicit PythonSet(const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers)
      add(number);
  }

  /// A copy, which is made at its final size.
  PythonSet(const PythonSet& other) {
    makeRoomFor(other);
    if (places_.size() == other.places_.size())
      places_ = other.places_;
    else
      for (const std::int64_t number : other.places_)
        if (number != kFree) put(number);
    count_ = other.count_;
  }
  PythonSet& operator=(const PythonSet&) = delete;

  void add(const PythonSet& other) {
    makeRoomFor(other);
    for (const std::int64_t number : other.places_)
      if (number != kFree) add(number);
  }

  std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> all;
    std::ranges::copy_if(places_, std::back_inserter(all),
                         [](std::int64_t number) { return number != kFree; });
    return all;
  }

 private:
  static constexpr std::int64_t kFree = -1;
  static constexpr std::size_t kLeastPlaces = 8, kNeighbours = 9, kShift = 5;
  static constexpr std::size_t kManyNumbers = 50000;

  std::size_t mask() const { return places_.size() - 1; }

  void add(std::int64_t number) {
    if (!put(number)) return;
    ++count_;
    if (count_ * 5 >= mask() * 3) resize(count_ > kManyNumbers ? count_ * 2 : count_ * 4);
  }

  /// False for a number that is there.
  bool put(std::int64_t number) {
    auto perturbed = static_cast<std::size_t>(number);
    std::size_t place = perturbed & mask();
    for (;;) {
      const std::size_t more = place + kNeighbours <= mask() ? kNeighbours : 0;
      for (std::size_t i = place; i <= place + more; ++i) {
        if (places_[i] == number) return false;
        if (places_[i] != kFree) continue;
        places_[i] = number;
        return true;
      }
      perturbed >>= kShift;
      place = (place * 5 + 1 + perturbed) & mask();
    }
  }

  void makeRoomFor(const PythonSet& other) {
    if ((count_ + other.count_) * 5 >= mask() * 3) resize((count_ + other.count_) * 2);
  }

  void resize(std::size_t least) {
    std::size_t size = kLeastPlaces;
    while (size <= least)
      size *= 2;
    const std::vector<std::int64_t> before = numbers();
    places_.assign(size, kFree);
    for (const std::int64_t number : before)
      put(number);
  }

  std::vector<std::int64_t> places_ = std::vector<std::int64_t>(kLeastPlaces, kFree);
  std::size_t count_ = 0;
};

} // namespace

std::vector<std::int64_t> unionInPythonsOrder(const std::vector<std::int64_t>& a,
                                              const std::vector<std::int64_t>& b) {
  const PythonSet first(a), second(b);
  PythonSet both(first);
  both.add(second);
  return both.numbers();
}

} // namespace nestwright
