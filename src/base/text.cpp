// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.hpp"

namespace gossamer {

namespace {

// Not <cctype>: those follow the program's locale.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; }

// Takes the digits at the front off the text.
Parsed<std::uint64_t> take_digits(std::string_view& text) {
    if (text.empty() || !is_digit(text.front())) return TextError::malformed;
    std::uint64_t value = 0;
    bool overflow = false;
    while (!text.empty() && is_digit(text.front())) {
        overflow |= __builtin_mul_overflow(value, std::uint64_t{10}, &value);
        overflow |= __builtin_add_overflow(value, static_cast<std::uint64_t>(text.front() - '0'), &value);
        text.remove_prefix(1);
    }
    if (overflow) return TextError::overflow;
    return value;
}

// The text is all digits; a malformed text is reported as such even where its digits overflow.
Parsed<std::uint64_t> whole_number(std::string_view text) {
    Parsed<std::uint64_t> value = take_digits(text);
    if (!text.empty()) return TextError::malformed;
    return value;
}

std::optional<std::uint64_t> unit_of(char letter) {
    switch (lower(letter)) {
        case 'b': return 1;
        case 'k': return std::uint64_t{1} << 10;
        case 'm': return std::uint64_t{1} << 20;
        case 'g': return std::uint64_t{1} << 30;
        default: return std::nullopt;
    }
}

}  // namespace

const char* describe(TextError error) {
    switch (error) {
        case TextError::none: return "valid";
        case TextError::empty: return "empty";
        case TextError::malformed: return "not a number";
        case TextError::overflow: return "too large";
        case TextError::bad_unit: return "unknown unit";
    }
    return "invalid";
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    return left.size() == right.size() && starts_with_ignoring_case(left, right);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
    if (text.size() < prefix.size()) return false;
    for (std::size_t i = 0; i < prefix.size(); ++i) {
        if (lower(text[i]) != lower(prefix[i])) return false;
    }
    return true;
}

Parsed<std::uint64_t> parse_unsigned(std::string_view text) {
    text = trim(text);
    if (text.empty()) return TextError::empty;
    if (text.front() == '+') text.remove_prefix(1);
    return whole_number(text);
}

Parsed<std::int64_t> parse_signed(std::string_view text) {
    text = trim(text);
    if (text.empty()) return TextError::empty;
    bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    Parsed<std::uint64_t> magnitude = whole_number(text);
    if (!magnitude) return magnitude.error;
    if (*magnitude > static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return TextError::overflow;
    return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

Parsed<std::uint64_t> parse_size(std::string_view text, std::uint64_t default_unit) {
    text = trim(text);
    if (text.empty()) return TextError::empty;
    if (text.front() == '+') text.remove_prefix(1);
    Parsed<std::uint64_t> number = take_digits(text);
    if (number.error == TextError::malformed) return number;
    text = trim(text);
    std::uint64_t unit = default_unit;
    if (!text.empty()) {
        std::optional<std::uint64_t> named = unit_of(text.front());
        if (text.size() > 1) return TextError::malformed;
        if (!named) return is_letter(text.front()) ? TextError::bad_unit : TextError::malformed;
        unit = *named;
    }
    if (!number) return number;
    std::uint64_t bytes;
    if (__builtin_mul_overflow(*number, unit, &bytes)) return TextError::overflow;
    return bytes;
}

std::optional<bool> parse_boolean(std::string_view text) {
    text = trim(text);
    for (std::string_view word : {"true", "1", "on", "yes"}) {
        if (equal_ignoring_case(text, word)) return true;
    }
    for (std::string_view word : {"false", "0", "off", "no"}) {
        if (equal_ignoring_case(text, word)) return false;
    }
    return std::nullopt;
}

std::optional<std::string_view> Splitter::next() {
    if (done_) return std::nullopt;
    std::size_t at = rest_.find(separator_);
    done_ = at == std::string_view::npos;
    std::string_view item(rest_.data(), done_ ? rest_.size() : at);
    if (!done_) rest_.remove_prefix(at + 1);
    return trim(item);
}

std::string_view leading_word(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && (is_letter(text[length]) || (length > 0 && is_digit(text[length])))) ++length;
    return std::string_view(text.data(), length);
}

}  // namespace gossamer
