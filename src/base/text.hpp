// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading settings: numbers, sizes and words out of text that a user wrote. Nothing here allocates or prints;
// the caller knows the setting's name and tells the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gossamer {

enum class TextError : std::uint8_t {
    none,
    empty,      // nothing but blanks
    malformed,  // not a number of this kind, or something follows it
    overflow,   // does not fit 64 bits
    bad_unit,   // the letter behind a size is none of B, K, M, G
};

// A value, or the reason why there is none; used as std::optional is.
template <class T>
struct Parsed {
    T value{};
    TextError error = TextError::none;

    constexpr Parsed(T read) : value(read) {}
    constexpr Parsed(TextError why) : error(why) {}
    constexpr explicit operator bool() const { return error == TextError::none; }
    constexpr T operator*() const { return value; }
};

// A constant phrase for a message: "empty", "not a number", "too large", "unknown unit".
const char* describe(TextError error);

// Without the blanks (space, \t, \n, \v, \f, \r) around it.
std::string_view trim(std::string_view text);

// The part that begins at `from`, at most `count` bytes of it; both are cut to what is there. In place of
// substr, which can throw and so wants the C++ run-time library.
constexpr std::string_view slice(std::string_view text, std::size_t from, std::size_t count = std::string_view::npos) {
    if (from > text.size()) from = text.size();
    std::size_t rest = text.size() - from;
    return {text.data() + from, count < rest ? count : rest};
}

// ASCII letters only; other bytes must be equal.
bool equal_ignoring_case(std::string_view left, std::string_view right);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

// Decimal, with blanks around and an optional sign ('+' only, where unsigned).
Parsed<std::uint64_t> parse_unsigned(std::string_view text);
Parsed<std::int64_t> parse_signed(std::string_view text);

// Bytes: a decimal number with an optional unit letter in either case, blanks allowed around both: B bytes, K
// 2^10, M 2^20, G 2^30. A number without a unit counts in default_unit bytes. OpenMP 5.2 §21.2.2:
// OMP_STACKSIZE counts in kilobytes by default.
Parsed<std::uint64_t> parse_size(std::string_view text, std::uint64_t default_unit = 1024);

// true, 1, on, yes; false, 0, off, no; any case, blanks around.
std::optional<bool> parse_boolean(std::string_view text);

// Walks "a,b,,c" item by item, each trimmed; an empty item is an item, and so is the one of an empty text:
//     for (Splitter items(text); auto item = items.next();) ...
class Splitter {
public:
    explicit constexpr Splitter(std::string_view text, char separator = ',') : rest_(text), separator_(separator) {}

    // nullopt after the last item.
    std::optional<std::string_view> next();

private:
    std::string_view rest_;
    char separator_;
    bool done_ = false;
};

// The first letters that form a word [A-Za-z_][A-Za-z0-9_]*; empty if there is none at the front.
std::string_view leading_word(std::string_view text);

}  // namespace gossamer
