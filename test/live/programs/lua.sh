#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's Lua, which is stripped, behaves the same under the recorder, and all its time is on
# complete stacks.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
need lua5.4
real_program lua5.4 "$root/test/work/words.lua" 40
