// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier remembers of its threads that sleep for moments (pass_time.cpp): whether they may let time pass by yielding to
// each other, or one has to sleep by the system for all of them.
//
// They may as long as something happens: for a while after some other thread ran here, or one of them was out for longer than
// it takes to look whether it has to sleep again. Then it is clear that all of them wait for something elsewhere. From there on
// one of them sleeps by the system in each of their rounds, the first that finds that none has since it last came by; when it
// goes on, the others' times have mostly come as well. Where nothing else is ready a thread sleeps at once, unless others have
// been coming by just now, which another carrier may have taken.
//
// All times are in arch::cycles; `switches` is the carrier's count of them.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

class Passing {
public:
    struct Times {
        std::uint64_t work;      // who is out for so long has worked
        std::uint64_t patience;  // so long after something has happened they need not sleep
    };

    // A thread has come to sleep.
    void enter(std::uint64_t now, const Times& times) {
        if (left_ != 0 && now - left_ >= times.work) active_ = now;
        left_ = 0;
    }

    // How often one has slept for all.
    std::uint64_t rounds() const { return rounds_; }

    // A thread has yielded, and is back; `any`: something else ran. Whether it must sleep by the system now. `rounds` is from
    // before the yield, perhaps of another carrier.
    bool must_sleep(std::uint64_t now, std::uint64_t switches, bool any, std::uint64_t rounds, const Times& times) {
        if (any) others_ = now;
        if (switches - switches_ > 1) active_ = now;  // not only from one of them to the next
        switches_ = switches;
        const bool idle = now - active_ >= times.patience;
        if (any ? !idle || rounds_ != rounds : !idle && now - others_ < times.patience) return false;
        ++rounds_;
        return true;
    }

    // The thread's time has come, and it goes on in the program.
    void leave(std::uint64_t now) { left_ = now; }

private:
    std::uint64_t switches_ = 0;  // when one of them last came by,
    std::uint64_t left_ = 0;      // and when the one that runs now went on in the program; 0: none has since another came
    std::uint64_t active_ = 0;    // when last anything but that happened
    std::uint64_t others_ = 0;    // when last something else was ready
    std::uint64_t rounds_ = 0;
};

}  // namespace gossamer::fiber
