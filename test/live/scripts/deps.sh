#!/bin/sh
# SPDX-License-Identifier: MIT
# On Debian scripts/deps installs what is missing. Elsewhere, and where it cannot install, it says
# what is missing, and fails if that is needed. The programs that it calls are replaced here.
#
# Seen to fail:
# - If awk tells the list of installed packages from the next file by NR == FNR, which finds nothing missing if no package is installed.
# - If it asks for a package that the release does not have.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
need make

# The commands that deps itself uses, and those of its table.
mkdir commands
for command in sh cat dirname env grep head id ln mktemp rm tail tee tr $(awk '/^(build|quickstart|bench|test) / { $1 = $2 = $3 = ""; print }' \
	"$root/scripts/deps"); do
	path=$(command -v "$command") && [ "$path" != "$command" ] && ln -sf "$path" commands
done

# replace COMMAND LINE...: write a script that takes the command's place
replace() {
	rm -f "commands/$1"
	printf '%s\n' '#!/bin/sh' >"commands/$1"
	name=$1
	shift
	printf '%s\n' "$@" >>"commands/$name"
	chmod +x "commands/$name"
}

# deps STATUS SET...: run deps; its output is in `out` and `err`
deps() {
	want=$1
	shift
	PATH=$tmp/commands "$root/scripts/deps" "$@" >out 2>err
	status=$?
	[ $status -eq "$want" ] || fail "$*: status $status: $(cat out err)"
}

says() {
	grep -qE "$1" err || fail "does not say '$1': $(cat err)"
}

# ---- not Debian -------------------------------------------------------------------------------
deps 0 build
[ ! -s out ] && [ ! -s err ] || fail "build: $(cat out err)"
deps 2 nonsense
says 'no set of packages named nonsense'

rm commands/make
# shellcheck disable=SC2016 # for the script
replace gcc 'case "$*" in *file-name=libedit.so*) echo libedit.so; exit;; *-E*) tee "$0.in" | grep -q histedit && exit 1;; esac' \
	'cat "$0.in" 2>/dev/null | exec '"$(command -v gcc)"' "$@"'
deps 1 build
says 'are needed:'
says "^  command  make +of Debian's package make\$"
says "^  header   histedit.h +of Debian's package libedit-dev\$"
says "^  library  libedit.so +of Debian's package libedit-dev\$"
[ "$(wc -l <err)" -eq 4 ] || fail "not three missing: $(cat err)"
replace gcc "exec $(command -v gcc) \"\$@\""
replace make

for command in valgrind swipl node strace shellcheck; do
	replace $command
done
status=0
PATH=$tmp/commands "$root/scripts/deps" test >out 2>err || status=$? # on another machine some may be missing
rm commands/node
deps $status test
says "^  command  node +of Debian's package nodejs\$"
rm commands/gcc
deps 1 test
says 'which takes gcc'
replace gcc "exec $(command -v gcc) \"\$@\""

# ---- Debian -----------------------------------------------------------------------------------
# installed PACKAGE...: dpkg knows only these packages
installed() {
	printf '%s install ok installed\n' dpkg "$@" >packages
	# shellcheck disable=SC2016
	replace dpkg-query 'while [ "${1#-}" != "$1" ]; do shift; done' 'for p; do' "grep \"^\$p \" '$tmp/packages'" \
		"done" "echo 'dpkg-query: no packages found' >&2"
}

# shellcheck disable=SC2016
replace sudo '[ "$1" = env ] && exec "$@"'
replace apt-get "echo \"\$*\" >>'$tmp/asked'"
# shellcheck disable=SC2016
replace apt-cache '[ "$2" != linux-perf ]'

all="gcc libc6-dev binutils libdw-dev libiberty-dev libdeflate-dev liblzma-dev zlib1g-dev libzydis-dev libcapstone-dev libjansson-dev libedit-dev"
# shellcheck disable=SC2086 # a list of words
installed make $all
deps 0 build
[ ! -e asked ] || fail "all are there, and it asks for $(cat asked)"
# shellcheck disable=SC2086
installed $all
deps 0 build
[ "$(cat out)" = "installing make" ] || fail "says $(cat out err)"
[ "$(sed -n '1s/.* //p' asked)" = update ] || fail "apt-get $(head -n 1 asked)"
[ "$(sed -n '2s/.*recommends //p' asked)" = make ] || fail "apt-get $(sed 1d asked)"
installed
deps 0 build
[ "$(sed -n '$s/.*recommends //p' asked | wc -w)" -eq 13 ] || fail "none is there: $(tail -n 1 asked)"

# A package that the release does not have is not asked for. What it provides may be there all the
# same.
replace perf
deps 0 build perf
says 'there is no package linux-perf here'
tail -n 1 asked | grep -q 'recommends gcc' || fail "of twelve packages and one: $(tail -n 1 asked)"
rm commands/perf
deps 1 perf
says '^  command  perf'

# There is no network. Either everything is there without it, or something is missing.
replace apt-get 'echo "cannot resolve"' 'exit 1'
deps 0 build
says 'failed: apt-get.*update'
says 'cannot resolve'
rm commands/make
deps 1 build
says '^  command  make'
if [ "$(id -u)" -ne 0 ]; then
	rm commands/sudo
	deps 1 build
	says 'only root can install it:.* make'
fi
exit 0
