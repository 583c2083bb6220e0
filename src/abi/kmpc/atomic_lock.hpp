// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds, for its scope, the spin lock that stands for an address.
#pragma once

#include "base/base.hpp"

namespace gossamer::abi {

class AddressLock {
public:
    // Does not suspend. Spins, and after a while lets the native thread that holds the lock run.
    explicit AddressLock(const void* address);
    ~AddressLock() { lock_.unlock(); }
    AddressLock(const AddressLock&) = delete;
    AddressLock& operator=(const AddressLock&) = delete;

private:
    SpinLock& lock_;
};

}  // namespace gossamer::abi
