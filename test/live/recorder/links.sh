#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is executed by a link of another name, as Debian's redis-server is by one to
# redis-check-rdb, has the name of the link: in the recording's name, by --exe and CPSAMPLE_EXE, with --by exe and in
# the names of functions without symbols. Argument 0, scripts and the program's own name change nothing.
#
# Seen to fail:
# - If the recorder takes the path of /proc/self/exe alone, everywhere.
# - If it takes the path that was executed without comparing the files: script.
# - If the first process decides what a module is called: both names.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cp "$targets/spin" multi && strip multi
mkdir d
ln -s multi server
ln -s ../multi d/deep
here=$(pwd -P)

# run NAME COMMAND...: the recording must be named after the program NAME
run() {
	name=$1
	shift
	rm -f ./*.cps
	record "$@" >out || fail "$* ended with $?"
	rm -f ./cpsample.env.* # on a slow machine env has used so much time that it has a recording
	set -- ./*.cps
	case $*:$# in
	"./cpsample.$name."[0-9]*.cps:1) cp "$1" "$name.kept" ;;
	*) fail "$name: recorded as $*" ;;
	esac
}
# is KEY VALUE: what the recording says of itself
is() {
	[ "$(info "$name.kept" "$1")" = "$2" ] || fail "$name: $1 is $(info "$name.kept" "$1"), not $2"
}

run multi ./multi 100
is exe "$here/multi"
is started_as ""
run server ./server 100
is exe "$here/multi"
is started_as "$here/server"
run server "$here/server" 100
is started_as "$here/server"
run deep d/deep 100
is started_as "$here/d/deep"
run server env "PATH=$PWD:$PATH" server 100
is started_as "$here/server"
run server env CPSAMPLE_EXE='/server$' ./server 100
run server env CPSAMPLE_EXE='/multi$' ./server 100
rm -f ./*.cps
record CPSAMPLE_EXE='/other$' ./server 100 >out
no_stream

# What is no link to the program says nothing of its name.
cat >other.c <<'END_OF_C'
#include <fcntl.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	char *args[] = {"server", "100", NULL};

	(void)argv;
	if (argc > 1)
		execv("./multi", args);
	else
		fexecve(open("./server", O_RDONLY), args, environ);
	return 1;
}
END_OF_C
$CC -o other other.c || fail "cannot build"
for way in '' argument; do
	rm -f ./*.cps
	# shellcheck disable=SC2086 # no argument, or one
	record ./other $way >out || fail "other $way ended with $?"
	[ "$(find . -name 'cpsample.multi.*.cps' | wc -l)" = 1 ] || fail "other $way: $(ls ./*.cps)"
done
printf '#!%s 100\n' "$here/multi" >script
chmod +x script
run multi ./script
is started_as ""

# What is shown. Two names of one program are told apart by process, but not by function.
"$CPCONV" --folded --unit gticks --by exe server.kept | grep -q '^server;.*;\[server+0x[0-9a-f]*\] ' ||
	fail "--by exe: $("$CPCONV" --folded --unit gticks --by exe server.kept)"
"$CPCONV" --info server.kept | grep -q "^started as   $here/server\$" || fail "--info: $("$CPCONV" --info server.kept)"
for exe in server multi; do
	"$CPCONV" --exe "/$exe\$" --flat --tsv server.kept | grep -q '\[server+0x' || fail "--exe $exe"
done
"$CPCONV" --exe '/deep$' server.kept >out 2>&1 && fail "--exe deep: $(cat out)"
"$CPCONV" --folded --unit gticks --by exe server.kept multi.kept deep.kept >folded || fail "three"
for program in server multi deep; do
	grep -q "^$program;.*;\[multi+0x" folded || fail "both names: $(cat folded)"
done
