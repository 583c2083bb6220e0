// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's functions that change the user or the groups of the process. They leave out the native thread that asks, and take the
// one that lends its identity to the calling fiber for it (os/credentials.hpp).
#include <cerrno>
#include <type_traits>

#include "abi/export.hpp"
#include "abi/libcs.hpp"
#include "omp/omp.hpp"

namespace {

template <class... Arguments>
class Change {
public:
    using Function = int (*)(Arguments...);

    constexpr explicit Change(const char* name) : libcs_(name) {}

    void find() { libcs_.get(); }

    int operator()(Arguments... arguments) {
        int result = -1;
        int code = 0;
        auto change = [&, function = libcs_.get()] {
            result = function(arguments...);
            code = errno;
        };
        const int refused =
            gossamer::os::change_credentials([](void* call) { (*static_cast<decltype(change)*>(call))(); }, &change);
        if (result != 0) errno = refused != 0 ? refused : code;
        return result;
    }

private:
    gossamer::abi::Libcs<Function> libcs_;
};

using Id = uid_t;  // of a user or a group
static_assert(std::is_same_v<uid_t, gid_t>);

constinit Change<Id> set_uid("setuid"), set_gid("setgid"), set_euid("seteuid"), set_egid("setegid");
constinit Change<Id, Id> set_reuid("setreuid"), set_regid("setregid");
constinit Change<Id, Id, Id> set_resuid("setresuid"), set_resgid("setresgid");
constinit Change<std::size_t, const gid_t*> set_groups("setgroups");

[[gnu::constructor]] void find_libcs() {
    for (Change<Id>* change : {&set_uid, &set_gid, &set_euid, &set_egid}) change->find();
    for (Change<Id, Id>* change : {&set_reuid, &set_regid}) change->find();
    for (Change<Id, Id, Id>* change : {&set_resuid, &set_resgid}) change->find();
    set_groups.find();
}

}  // namespace

// Each as libc's: 0, or -1 and errno, which is EAGAIN too where the system grants no native thread to ask in a fiber's place.
// None suspends; the caller's native thread may sleep. A signal handler may call them where POSIX says so, but not on a fiber.
GOSSAMER_EXPORT int setuid(uid_t user) noexcept { return set_uid(user); }
GOSSAMER_EXPORT int setgid(gid_t group) noexcept { return set_gid(group); }
GOSSAMER_EXPORT int seteuid(uid_t effective) noexcept { return set_euid(effective); }
GOSSAMER_EXPORT int setegid(gid_t effective) noexcept { return set_egid(effective); }
GOSSAMER_EXPORT int setreuid(uid_t real, uid_t effective) noexcept { return set_reuid(real, effective); }
GOSSAMER_EXPORT int setregid(gid_t real, gid_t effective) noexcept { return set_regid(real, effective); }
GOSSAMER_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept { return set_resuid(real, effective, saved); }
GOSSAMER_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept { return set_resgid(real, effective, saved); }
GOSSAMER_EXPORT int setgroups(std::size_t count, const gid_t* groups) noexcept { return set_groups(count, groups); }
