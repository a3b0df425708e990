#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of stripped programs come from debuginfod servers that DEBUGINFOD_URLS names, and from .gnu_debugdata.
#
# Seen to fail:
# - If give_up() does not remember.
# - Without has_mini in read_tables().
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
need objcopy
need xz
unset DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXTIME DEBUGINFOD_MAXSIZE DEBUGINFOD_VERBOSE DEBUGINFOD_PROGRESS

cat >p.c <<'EOF'
volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned inlined_one(unsigned x)
{
	for (unsigned i = 0; i < 1000; i++)
		x = x * 1103515245 + 12345 + sink;
	return x;
}

static __attribute__((noinline)) void hidden_one(unsigned n)
{
	while (n--)
		sink = inlined_one(n);
}

void in_library(unsigned n);

int main(void)
{
	hidden_one(150000);
	in_library(50000);
	return 0;
}
EOF
# A second file that is asked for, of which only servers that were silent once are not asked.
sed '/^void in_library/,$d; s/static __attribute__((noinline)) void hidden_one/void in_library/' p.c >q.c
mkdir -p served/debug served/program
gcc -g -O2 -shared -fPIC -Wl,--build-id -o libq.so q.c || fail "no library"
strip libq.so
gcc -g -O2 -Wl,--build-id -o whole p.c ./libq.so || fail "no program"
objcopy --only-keep-debug whole served/debug/p.debug || fail "no debug file"
cp whole p
strip p
cp p served/program/p
record CPSAMPLE_OUTPUT=p.cps ./p || fail "exit status $?"

# tree [VARIABLE=VALUE...]: the names of the recording
tree() {
	env DEBUGINFOD_CACHE_PATH="$PWD/cache" "$@" "$CPCONV" --tree --names full p.cps >tree 2>err || fail "$*: $(cat err)"
	[ -s tree ] || fail "$*: no tree"
}
has() {
	grep -q -e "$1" tree
}

tree NOTHING=
! has hidden_one || fail "the program is not stripped: $(cat tree)"
[ ! -s err ] || fail "without servers there is a warning: $(cat err)"
[ ! -e cache ] || fail "without servers there is a cache"

# ---- .gnu_debugdata: the symbols of functions, as Fedora has them in programs
cp p plain
nm whole --defined-only | awk '$2 ~ /[Tt]/ { print $3 }' >symbols
objcopy -S --keep-symbols=symbols served/debug/p.debug mini 2>objcopy.err || fail "mini: $(cat objcopy.err)"
xz -k mini
objcopy --add-section .gnu_debugdata=mini.xz plain p || fail "no section"
tree NOTHING=
has hidden_one || fail ".gnu_debugdata is not read: $(cat tree err)"
# A section that is damaged, cut, or unpacks to far more than it has, is as none.
head -c $(($(wc -c <mini.xz) / 2)) mini.xz >cut.xz
head -c 100000000 /dev/zero | xz -0 >zeros.xz
tr '\000' '\377' <mini.xz >wrong.xz
for bad in cut zeros wrong; do
	objcopy --add-section .gnu_debugdata=$bad.xz plain p || fail "no section $bad"
	tree NOTHING=
	! has hidden_one || fail "names of a section that is $bad"
	has main || fail "$bad: no main: $(cat tree)" # by its place in the stacks
done
cp plain p

# ---- a server
command -v debuginfod >/dev/null || skip "no debuginfod on this machine; .gnu_debugdata holds"
id=$(readelf -n p | sed -n 's/.*Build ID: //p')
port=$((20000 + $$ % 20000))
env -u DEBUGINFOD_URLS debuginfod -d :memory: -p $port -t 0 -g 0 -F served >log 2>&1 &
server=$!
stop() {
	kill $server
	wait $server 2>/dev/null
}
found() {
	rm -rf looked
	DEBUGINFOD_URLS="http://127.0.0.1:$port/" DEBUGINFOD_CACHE_PATH="$PWD/looked" debuginfod-find "$1" "$id" >/dev/null 2>&1
}
found_all() {
	found debuginfo && found executable
}
if ! await found_all; then
	stop
	skip "debuginfod does not serve here: $(tail -n 2 log)"
fi
clean_up() { stop; }
url=http://127.0.0.1:$port/

tree DEBUGINFOD_URLS="$url"
has "hidden_one" || fail "no name from the server: $(cat tree err)"
has "inlined_one (inlined)" || fail "no inlined function: $(cat tree)"
[ ! -s err ] || fail "a warning: $(cat err)"
[ -d cache ] || fail "no cache"
asked=$(grep -c "GET /buildid" log)
[ "$asked" -gt 0 ] || fail "the server was not asked: $(cat log)"

# The program is gone, or was built anew.
rm p
rm -rf cache
tree DEBUGINFOD_URLS="$url"
has "inlined_one (inlined)" || fail "the program is not fetched: $(cat tree err)"
! grep -q "not there any more" err || fail "a warning: $(cat err)"
gcc -O1 -Wl,--build-id -o p p.c ./libq.so || fail "no second program"
tree DEBUGINFOD_URLS="$url"
has "inlined_one (inlined)" || fail "the other build is taken: $(cat tree err)"
tree NOTHING=
! has "hidden_one" || fail "names of another build: $(cat tree)"
grep -q "rebuilt since the recording" err || fail "not said: $(cat err)"

# Nothing was asked without the variable.
before=$(grep -c "GET /buildid" log)
rm -rf cache
tree DEBUGINFOD_URLS=
[ "$(grep -c "GET /buildid" log)" -eq "$before" ] || fail "the server is asked without DEBUGINFOD_URLS"
[ ! -e cache ] || fail "a cache without DEBUGINFOD_URLS"

# Servers that are not there, or do not answer, are asked once, and it is said.
tree DEBUGINFOD_URLS="http://127.0.0.1:1/"
[ "$(grep -c debuginfod err)" -eq 1 ] || fail "no server: $(cat err)"
has main || fail "no server, no tree: $(cat tree)"
if command -v python3 >/dev/null; then
	cat >silent.py <<'EOF'
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
held = []
while True:
	held.append(s.accept())
EOF
	python3 silent.py >silent.port &
	silent=$!
	has_port() { [ -s silent.port ]; }
	await has_port || fail "no silent server"
	tree DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_URLS="http://127.0.0.1:$(cat silent.port)/"
	kill $silent
	grep -q "debuginfod: nothing came for 1 s" err || fail "silence: $(cat err)"
	[ "$(grep -c debuginfod err)" -eq 1 ] || fail "silence is said often: $(cat err)"
fi
