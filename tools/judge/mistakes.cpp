#include "tools/judge/mistakes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "tools/judge/answer.hpp"

namespace bombard::judge {

namespace {

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all{{"other_edition",
                            "it computes the rule of the other edition (--edition)",
                            {"energies_of_other_edition", "threshold_of_other_edition"}}};
  for (const Deviation maximum :
       {Deviation("maximum_minus_one_without_peak"), Deviation("lowest_maximum_without_peak")}) {
    all.push_back({"minus_one_without_peak",
                   "where there is no peak the position is -1, and the maximum is not 0: the "
                   "published program prints 0 and 0.000000",
                   {"minus_one_without_peak", maximum}});
  }
  const auto add = [&all](Deviation begin, Deviation end, int parts, auto... sizes) {
    for (std::size_t i = begin.row; i < end.row; ++i) {
      all.push_back(
          {deviation_rows[i].name, deviation_rows[i].looks, {Deviation(i), sizes...}, parts});
    }
  };
  add("energies_of_other_edition", "parts_with_ends", 1);
  // With more parts it is the larger position of all.
  add("parts_with_larger_position", "leftover_cells_dropped", 2);
  for (int parts = 2; parts <= 8; ++parts) {
    for (const Deviation sizes : {Deviation("first_parts_larger"), Deviation("last_part_larger"),
                                  Deviation("larger_parts_spread")}) {
      add("parts_with_ends", "parts_with_larger_position", parts, sizes);
    }
    add("leftover_cells_dropped", "first_parts_larger", parts);
  }
  return all;
}

/// "2", "2 or 4", "2 to 8".
std::string range(const std::set<int>& numbers, const char* to, const char* also) {
  const int first = *numbers.begin(), last = *numbers.rbegin();
  const bool is_whole = last - first + 1 == static_cast<int>(numbers.size());
  if (is_whole && numbers.size() > 2) return fmt::format("{}{}{}", first, to, last);
  return fmt::to_string(fmt::join(numbers, also));
}

/// Texts of mistakes, each once. `in_parts` adds the numbers of parts for which a text occurs.
std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string_view Mistake::*text, const char* in_parts,
                                  const char* to, const char* also) {
  std::map<std::string_view, std::set<int>> parts;
  for (const Mistake* mistake : mistakes) {
    std::set<int>& of_text = parts[mistake->*text];
    if (mistake->parts > 1) of_text.insert(mistake->parts);
  }
  std::vector<std::string> texts;
  for (const auto& [one, numbers] : parts) {
    texts.push_back(numbers.empty()
                        ? std::string(one)
                        : fmt::format(fmt::runtime(in_parts), one, range(numbers, to, also)));
  }
  return texts;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name, "{}_{}", "_to_", "_");
}

std::vector<std::string> looks_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::looks, "the layer is in {1} parts, and {0}", " to ", " or ");
}

bool shows_mistakes(const Case& tried) {
  constexpr std::int64_t most = 1'000'000;  // all mistakes together take a few seconds at most
  const auto storms = static_cast<std::int64_t>(tried.storms.size());
  return interactions(tried) <= most && tried.cells * storms <= most;
}

std::vector<std::vector<Maximum>> answers_of_mistakes(const Case& tried) {
  std::vector<std::vector<Maximum>> answers;
  for (const Mistake& mistake : mistakes()) {
    answers.push_back(printed(maxima_with(tried, mistake.deviations, mistake.parts)));
  }
  return answers;
}

std::vector<const Mistake*> mistakes_that_give(const std::vector<Maximum>& maxima,
                                               const PreparedCase& tried,
                                               const std::vector<double>& allowed) {
  std::vector<const Mistake*> found;
  if (!tried.mistaken.valid()) return found;
  for (std::size_t i = 0; i < mistakes().size(); ++i) {
    const Mistake& mistake = mistakes()[i];
    const std::vector<Maximum>& of_mistake = tried.mistaken.get()[i];
    bool gives = allowed.empty() ? of_mistake == maxima : !mistake.is_of_arithmetic();
    for (std::size_t storm = 0; gives && storm < allowed.size(); ++storm) {
      gives = of_mistake[storm].position == maxima[storm].position &&
              std::abs(of_mistake[storm].value - maxima[storm].value) <= allowed[storm];
    }
    if (gives) found.push_back(&mistake);
  }
  return found;
}

}  // namespace bombard::judge
