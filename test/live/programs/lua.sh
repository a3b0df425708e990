#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's Lua, stripped, at work: unchanged under the recorder, and all its time on complete stacks.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need lua5.4
real_program 1 lua5.4 "$root/test/work/words.lua" 40
