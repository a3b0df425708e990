#!/bin/sh
# SPDX-License-Identifier: MIT
# make install puts every file in its place, and the programs work there. make uninstall leaves
# nothing behind.
#
# Seen to fail:
# - If LIBDIR is left out of the way from cpsample to the library.
# - With another version in cpsample.
# - With the name of the build directory in the list of what is linked.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need make

made() {
	make -s -C "$root" BUILD="$BUILD" DESTDIR="$tmp/root" "$@" >log 2>&1 || fail "make $*: $(cat log)"
}

# All programs, and recordings too, have the version of the file VERSION.
same_version() {
	version=$(cat "$root/VERSION")
	for program in cpconv cpprof cpsample; do
		[ "$("$1/$program" --version)" = "$program $version" ] || fail "$("$1/$program" --version), not $version"
	done
	[ "$("$1/cpconv" --info --tsv here.cps | sed -n "s/^recorder$tab//p")" = "$version" ] || fail "recorder"
}

cp "$BUILD/objects" before
made PREFIX=/usr install
cmp -s before "$BUILD/objects" || fail "links anew what other tests are running"
for file in bin/cpconv bin/cpprof bin/cpsample lib/libcpsample.so lib/cpsample/cpsample-wait lib/cpsample/cpsample-attach \
	lib/cpsample/cpsample-stacks include/cpsample.h \
	share/cpsample/cpconv.schema.json share/man/man1/cpconv.1 share/man/man1/cpprof.1 share/man/man1/cpsample.1 share/man/man7/libcpsample.7 \
	share/bash-completion/completions/cpconv share/bash-completion/completions/cpprof \
	share/bash-completion/completions/cpsample share/zsh/site-functions/_cpsample; do
	[ -s "root/usr/$file" ] || fail "no $file"
done
[ -x root/usr/bin/cpconv ] && [ -x root/usr/bin/cpsample ] || fail "not executable"
[ ! -x root/usr/lib/libcpsample.so ] || fail "the library is executable"

root/usr/bin/cpsample -o here.cps "$targets/spin" 300 >out || fail "cpsample ended with $?"
[ "$(cat out)" = spun ] || fail "output: $(cat out)"
echo '#include <cpsample.h>
int main(void) { cpsample_mark("installed"); return 0; }' >mark.c
$CC -I root/usr/include -o mark mark.c || fail "cpsample.h does not compile"
root/usr/bin/cpsample -o mark.cps ./mark || fail "mark ended with $?"
root/usr/bin/cpconv --info mark.cps | grep -q installed || fail "no mark"
root/usr/bin/cpconv --flat here.cps | grep -q spin_inner || fail "no profile"
echo flat | root/usr/bin/cpprof here.cps | grep -q spin_inner || fail "cpprof: no profile"
same_version root/usr/bin

# The loader's cache is made anew by root, not for a package; who may not is told. Seen to fail: without ldconfig; with it for
# a package, too; when nothing was said.
cat >ldconfig <<'end'
#!/bin/sh
echo "ldconfig $*" >>"$(dirname "$0")/called"
[ "${1:-}" != -p ] || echo "	libcpsample.so (libc6,x86-64) => $CACHED/lib/libcpsample.so"
end
chmod +x ldconfig
installed() {
	rm -f called
	make -s -C "$root" BUILD="$BUILD" PREFIX="$tmp/here" LDCONFIG="$tmp/ldconfig" "$@" >said 2>&1 || fail "make $*: $(cat said)"
}
CACHED=$tmp/here installed install
if [ "$(id -u)" = 0 ]; then
	[ "$(head -n 1 called)" = "ldconfig " ] || fail "the cache is as before"
	[ ! -s said ] || fail "said: $(cat said)"
	CACHED=/nowhere installed install
	grep -q "^$tmp/here/lib is no directory of ldconfig: " said || fail "another directory: $(cat said)"
	installed LDCONFIG=false install
else
	[ ! -e called ] || fail "ldconfig is for root"
fi
grep -q '^ldconfig has still to be run, by root: ' said || fail "it is not said: $(cat said)"
CACHED=$tmp/here installed uninstall
[ -z "$(find here -type f)" ] || fail "left: $(find here -type f)"
CACHED=$tmp/here installed DESTDIR="$tmp/packed" install
[ ! -e called ] && [ ! -s said ] || fail "ldconfig for a package: $(cat said)"
rm -rf here packed called

made PREFIX=/usr uninstall
[ -z "$(find root -type f)" ] || fail "left: $(find root -type f)"
rm -r root here.cps

# Every directory is another one than the default, as in distributions.
set -- BINDIR=/opt/programs LIBDIR=/opt/lib/x86_64-linux-gnu INCLUDEDIR=/opt/headers DATADIR=/opt/data MANDIR=/opt/pages \
	BASHDIR=/opt/bash ZSHDIR=/opt/zsh
made "$@" install
for file in programs/cpconv lib/x86_64-linux-gnu/libcpsample.so headers/cpsample.h pages/man7/libcpsample.7 \
	data/cpsample/cpconv.schema.json bash/cpconv zsh/_cpsample; do
	[ -s "root/opt/$file" ] || fail "no $file"
done
[ "$(ls root)" = opt ] || fail "also in $(ls root)"
mv root/opt moved
moved/programs/cpsample -o here.cps "$targets/spin" 300 >out || fail "elsewhere: cpsample ended with $?"
moved/programs/cpconv --flat here.cps | grep -q spin_inner || fail "elsewhere: no profile"
same_version moved/programs
rm moved/lib/x86_64-linux-gnu/libcpsample.so
moved/programs/cpsample true 2>err && fail "without the library: exit status 0"
grep -q '^cpsample: cannot find libcpsample.so (looked for /' err || fail "without the library: $(cat err)"
mv moved root/opt
made "$@" uninstall
[ -z "$(find root -type f)" ] || fail "left elsewhere: $(find root -type f)"
