// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gossamer {
namespace {

TEST(Trim, TakesBlanksFromBothEnds) {
    EXPECT_EQ(trim(" \t\r\n\v\fa b\n "), "a b");
    EXPECT_EQ(trim("   "), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim("\xc2\xa0x"), "\xc2\xa0x");
}

TEST(IgnoringCase, ComparesLettersOnly) {
    EXPECT_TRUE(equal_ignoring_case("Dynamic", "dYNAMIC"));
    EXPECT_FALSE(equal_ignoring_case("dynamic", "dynamic "));
    EXPECT_FALSE(equal_ignoring_case("@", "`"));
    EXPECT_FALSE(equal_ignoring_case("\xc4", "\xe4"));
    EXPECT_TRUE(equal_ignoring_case("", ""));
    EXPECT_TRUE(starts_with_ignoring_case("Granularity=fine", "granularity="));
    EXPECT_FALSE(starts_with_ignoring_case("gran", "granularity"));
}

TEST(ParseUnsigned, ReadsTheWholeRange) {
    EXPECT_EQ(*parse_unsigned("0"), 0u);
    EXPECT_EQ(*parse_unsigned(" 18446744073709551615 "), UINT64_MAX);
    EXPECT_EQ(*parse_unsigned("+7"), 7u);
    EXPECT_EQ(*parse_unsigned("007"), 7u);
}

TEST(ParseUnsigned, SaysWhyNot) {
    EXPECT_EQ(parse_unsigned("").error, TextError::empty);
    EXPECT_EQ(parse_unsigned(" \t").error, TextError::empty);
    EXPECT_EQ(parse_unsigned("18446744073709551616").error, TextError::overflow);
    EXPECT_EQ(parse_unsigned(std::string(5000, '9')).error, TextError::overflow);
    EXPECT_EQ(parse_unsigned(std::string(5000, '9') + "x").error, TextError::malformed);
    for (const char* text : {"abc", "-3", "-0", "4x", "4 2", "+", "+ 4", "++4", "0x10", "1.5", "1e3", "٣"}) {
        EXPECT_EQ(parse_unsigned(text).error, TextError::malformed) << text;
        EXPECT_FALSE(parse_unsigned(text));
    }
}

TEST(ParseSigned, ReadsTheWholeRange) {
    EXPECT_EQ(*parse_signed("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(*parse_signed("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(*parse_signed(" -1"), -1);
    EXPECT_EQ(*parse_signed("-0"), 0);
    EXPECT_EQ(parse_signed("9223372036854775808").error, TextError::overflow);
    EXPECT_EQ(parse_signed("-9223372036854775809").error, TextError::overflow);
    EXPECT_EQ(parse_signed("-99999999999999999999").error, TextError::overflow);
    EXPECT_EQ(parse_signed("--1").error, TextError::malformed);
    EXPECT_EQ(parse_signed("-").error, TextError::malformed);
    EXPECT_EQ(parse_signed("").error, TextError::empty);
}

TEST(ParseSize, UnderstandsUnits) {
    EXPECT_EQ(*parse_size("2000500B"), 2000500u);
    EXPECT_EQ(*parse_size("3000 k "), 3000u << 10);
    EXPECT_EQ(*parse_size("10M"), 10u << 20);
    EXPECT_EQ(*parse_size(" 10 m "), 10u << 20);
    EXPECT_EQ(*parse_size("1G"), 1u << 30);
    EXPECT_EQ(*parse_size("20000"), 20000u * 1024);
    EXPECT_EQ(*parse_size("20000", 1), 20000u);
    EXPECT_EQ(*parse_size("0"), 0u);
}

TEST(ParseSize, SaysWhyNot) {
    EXPECT_EQ(parse_size("1X").error, TextError::bad_unit);
    EXPECT_EQ(parse_size("1T").error, TextError::bad_unit);
    EXPECT_EQ(parse_size("1KB").error, TextError::malformed);
    EXPECT_EQ(parse_size("1 2").error, TextError::malformed);
    EXPECT_EQ(parse_size("1%").error, TextError::malformed);
    EXPECT_EQ(parse_size("-1K").error, TextError::malformed);
    EXPECT_EQ(parse_size("K").error, TextError::malformed);
    EXPECT_EQ(parse_size("").error, TextError::empty);
    EXPECT_EQ(parse_size("17179869184G").error, TextError::overflow);
    EXPECT_EQ(parse_size("18446744073709551616B").error, TextError::overflow);
    EXPECT_EQ(*parse_size("17179869183G"), 17179869183u << 30);
}

TEST(ParseBoolean, KnowsItsWords) {
    for (const char* word : {"true", "TRUE", " 1", "on", "Yes "}) EXPECT_EQ(parse_boolean(word), true) << word;
    for (const char* word : {"false", "0", "OFF", "no"}) EXPECT_EQ(parse_boolean(word), false) << word;
    for (const char* word : {"", "2", "t", "truee", ".true."}) EXPECT_EQ(parse_boolean(word), std::nullopt) << word;
}

std::vector<std::string> items_of(std::string_view text, char separator = ',') {
    std::vector<std::string> items;
    for (Splitter splitter(text, separator); auto item = splitter.next();) items.emplace_back(*item);
    return items;
}

TEST(Splitter, KeepsEmptyItems) {
    using Items = std::vector<std::string>;
    EXPECT_EQ(items_of("4, 3 ,2"), (Items{"4", "3", "2"}));
    EXPECT_EQ(items_of("4,,2"), (Items{"4", "", "2"}));
    EXPECT_EQ(items_of(",4,"), (Items{"", "4", ""}));
    EXPECT_EQ(items_of(""), (Items{""}));
    EXPECT_EQ(items_of(" "), (Items{""}));
    EXPECT_EQ(items_of("a:b", ':'), (Items{"a", "b"}));
}

TEST(LeadingWord, StopsAtTheFirstOtherByte) {
    EXPECT_EQ(leading_word("static,4"), "static");
    EXPECT_EQ(leading_word("l3_cache(2)"), "l3_cache");
    EXPECT_EQ(leading_word("4x"), "");
    EXPECT_EQ(leading_word(""), "");
}

TEST(Describe, HasAPhraseForEachError) {
    for (TextError error :
         {TextError::none, TextError::empty, TextError::malformed, TextError::overflow, TextError::bad_unit}) {
        EXPECT_STRNE(describe(error), "");
    }
    EXPECT_STREQ(describe(TextError::overflow), "too large");
}

}  // namespace
}  // namespace gossamer
