#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/plain_tokens.hpp"

// The format of NumPy's arrays, for oracles: a tokeniser and a page of grammar.
namespace bombard::fuzz {

/// A .npy file taken apart.
struct PlainArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string_view elements;  ///< their bytes

  std::size_t element_size() const { return static_cast<std::size_t>(type[2] - '0'); }
};

/// The header's parts: each of {}(),: by itself, texts as 'text, words.
inline std::optional<std::vector<std::string>> header_tokens(std::string_view header) {
  const std::string_view marks = "{}(),:";
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < header.size();) {
    const char c = header[i];
    if (is_space(c)) {
      ++i;
    } else if (marks.find(c) != marks.npos) {
      tokens.emplace_back(1, c);
      ++i;
    } else if (c == '\'' || c == '"') {
      const std::size_t end = header.find(c, i + 1);
      if (end == header.npos) return {};
      tokens.push_back("'" + std::string(header.substr(i + 1, end - i - 1)));
      i = end + 1;
    } else {
      std::string word;
      while (i < header.size() && !is_space(header[i]) && marks.find(header[i]) == marks.npos &&
             header[i] != '\'' && header[i] != '"') {
        word += header[i++];
      }
      tokens.push_back(word);
    }
  }
  return tokens;
}

/// The tuple of numbers at tokens[i], which moves behind it.
inline std::optional<std::vector<std::int64_t>> tuple_of(const std::vector<std::string>& tokens,
                                                         std::size_t& i) {
  std::vector<std::int64_t> numbers;
  if (tokens.at(i++) != "(") return {};
  while (tokens.at(i) != ")") {
    const std::string& word = tokens.at(i++);
    if (word[0] < '0' || word[0] > '9') return {};
    const auto number = integer_within(word, 0, 9223372036854775807LL);
    if (!number) return {};
    numbers.push_back(*number);
    if (tokens.at(i) == ",") {
      ++i;
    } else if (tokens.at(i) != ")") {
      return {};
    }
  }
  ++i;
  return numbers;
}

/// Whether elements of `element` bytes in this shape take `bytes`.
inline bool takes(const std::vector<std::int64_t>& shape, std::size_t element, std::size_t bytes) {
  for (const std::int64_t size : shape) {
    if (size == 0) return bytes == 0;
  }
  __int128 product = static_cast<__int128>(element);
  for (const std::int64_t size : shape) {
    if (product > static_cast<__int128>(bytes)) return false;
    product *= size;
  }
  return product == static_cast<__int128>(bytes);
}

/// The dictionary of a header and the bytes behind it; nothing where it is not one that is read.
inline std::optional<PlainArray> array_of(std::string_view header, std::string_view elements) {
  auto found = header_tokens(header);
  if (!found) return {};
  std::vector<std::string>& tokens = *found;
  for (int end = 0; end < 4; ++end) tokens.emplace_back("end");  // to look ahead without asking
  std::optional<std::string> type, order;
  std::optional<std::vector<std::int64_t>> shape;
  std::size_t i = 0;
  if (tokens[i++] != "{") return {};
  while (tokens.at(i) != "}") {
    const std::string key = tokens.at(i++);
    if (tokens.at(i++) != ":") return {};
    if (key == "'descr" && !type && tokens.at(i)[0] == '\'') {
      type = tokens.at(i++).substr(1);
    } else if (key == "'fortran_order" && !order &&
               (tokens.at(i) == "True" || tokens.at(i) == "False")) {
      order = tokens.at(i++);
    } else if (key == "'shape" && !shape) {
      shape = tuple_of(tokens, i);
      if (!shape) return {};
    } else {
      return {};
    }
    if (tokens.at(i) == ",") {
      ++i;
    } else if (tokens.at(i) != "}") {
      return {};
    }
  }
  if (i + 5 != tokens.size() || !type || !order || !shape) return {};
  if (shape->empty() || shape->size() > 3 || (*order == "True" && shape->size() > 1)) return {};
  if (*type != "<i4" && *type != "<i8" && *type != "<f4" && *type != "<f8") return {};
  const PlainArray array{*type, *shape, elements};
  if (!takes(array.shape, array.element_size(), elements.size())) return {};
  return array;
}

/// A file; nothing where it is not an array that is read.
inline std::optional<PlainArray> plain_array(std::string_view file) {
  if (file.substr(0, 6) != "\x93NUMPY" || file.size() < 10) return {};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
  };
  if (byte(6) < 1 || byte(6) > 3) return {};
  const std::size_t begin = byte(6) == 1 ? 10 : 12;
  if (file.size() < begin) return {};
  std::size_t length = byte(8) + 256 * byte(9);
  if (begin == 12) length += 65536 * byte(10) + 16777216 * byte(11);
  if (length > file.size() - begin) return {};
  return array_of(file.substr(begin, length), file.substr(begin + length));
}

/// The bytes before a header of this length, in version 1 to 3.
inline std::string preamble(int version, std::size_t length) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), 0, static_cast<char>(length % 256),
            static_cast<char>(length / 256 % 256)};
  if (version > 1) bytes += {static_cast<char>(length / 65536), 0};
  return bytes;
}

}  // namespace bombard::fuzz
