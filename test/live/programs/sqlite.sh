#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's sqlite3, whose program and library are stripped, behaves the same under the recorder,
# and all its time is on complete stacks.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
need sqlite3
real_program sqlite3 -batch -cmd ".parameter set :items 400000" :memory: ".read $root/test/work/items.sql"
