// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/affinity.hpp"

#include <gtest/gtest.h>

#include <string>

#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

class AffinityFormat : public ::testing::Test {
protected:
    void SetUp() override {
        outer_.size = 4;
        middle_.team = &outer_;
        middle_.num = 3;
        outer_.level = 1;
        inner_.size = 12;
        inner_.level = 2;
        inner_.parent = &middle_;
        outer_.parent = &initial_;
        initial_.team = &initial_team_;
        thread_.team = &inner_;
        thread_.num = 7;
        thread_.work.league = {2, 5};
    }

    std::string text(const char* format) {
        TextBuffer<1024> out;
        format_affinity(out, format, thread_);
        return std::string(out.text());
    }

    Team initial_team_;
    Team outer_;
    Team inner_;
    Thread initial_;
    Thread middle_;
    Thread thread_;
};

TEST_F(AffinityFormat, FieldsShortAndLong) {
    EXPECT_EQ(text("%t/%T %L %n %N %a"), "2/5 2 7 12 3");
    EXPECT_EQ(text("%{team_num}/%{num_teams} %{nesting_level} %{thread_num} %{num_threads} %{ancestor_tnum}"), "2/5 2 7 12 3");
    EXPECT_EQ(text("%P"), std::to_string(os::process_id()));
    EXPECT_EQ(text("%i"), std::to_string(os::kernel_thread_id()));
    EXPECT_EQ(text("%{process_id}"), text("%P"));
    EXPECT_EQ(text("%{native_thread_id}"), text("%i"));
    char host[256];
    os::host_name(host, sizeof host);
    EXPECT_EQ(text("%H,%{host}"), std::string(host) + "," + host);
    EXPECT_EQ(text("%{thread_affinity}"), text("%A"));
    EXPECT_NE(text("%A"), "");
}

TEST_F(AffinityFormat, WidthsAndPadding) {
    EXPECT_EQ(text("[%4n]"), "[7   ]");
    EXPECT_EQ(text("[%.4n]"), "[   7]");
    EXPECT_EQ(text("[%0.4n]"), "[0007]");
    EXPECT_EQ(text("[%1N]"), "[12]");
    EXPECT_EQ(text("[%.6{thread_num}]"), "[     7]");
    EXPECT_EQ(text("100%%"), "100%");
}

TEST_F(AffinityFormat, UnknownFieldsAreUndefined) {
    EXPECT_EQ(text("%q|%{colour}|%{open"), "undefined|undefined|undefined");
    EXPECT_EQ(text("%"), "undefined");
    EXPECT_EQ(text("plain"), "plain");
}

TEST_F(AffinityFormat, TheOutermostHasNoAncestor) {
    TextBuffer<64> out;
    format_affinity(out, "%0.3a %T", initial_);
    EXPECT_EQ(out.text(), "-01 1");
}

TEST_F(AffinityFormat, TheVariableIsUsedForAnEmptyFormat) {
    set_affinity_format("%n of %N");
    EXPECT_EQ(text(""), "7 of 12");
    TextBuffer<64> var;
    get_affinity_format(var);
    EXPECT_EQ(var.text(), "%n of %N");
    set_affinity_format(std::string(5000, 'y'));
    TextBuffer<4096> cut;
    get_affinity_format(cut);
    EXPECT_EQ(cut.length(), 1023u);
}

TEST_F(AffinityFormat, DisplayIsOneLine) {
    testing::internal::CaptureStderr();
    display_affinity("%n!", thread_);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "7!\n");
}

}  // namespace
}  // namespace gossamer::omp
