// Numbers as text and back, the same on every machine and in every language setting.
#pragma once

#include <charconv>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tengen {

// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

// The whole of `text` as a number; false if it is none.
inline bool parse_number(std::string_view text, double& value) {
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
#else  // libc++ before version 20, which Macs have, reads only whole numbers that way
  if (text.empty() || text.front() == '+') return false;
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  in >> std::noskipws >> value;
  return in && in.peek() == std::istringstream::traits_type::eof();
#endif
}

}  // namespace tengen
