#!/bin/sh
# SPDX-License-Identifier: MIT
# Trees of processes as many users have them: a build, a pipeline, Python's multiprocessing. Each
# process that a tick has met has a stream that names its parent and holds its own time. Other
# processes leave no file.
#
# Seen to fail:
# - Without cps_life_child(), where Python's children by fork have no stream. (processes.sh tests
#   the other ways to create processes.)
#
# May run beside others.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"
[ -z "$beside" ] || skip "processes that no tick has met have recordings, too, if their waits are counted"

fresh_directory() {
	cd "$tmp" && rm -rf "$1" && mkdir "$1" && cd "$1" || exit 1
}

no_journal() {
	[ "$(find . -name '*.journal' | wc -l)" -eq 0 ]
}

# All recordings in the directory are of one tree, and complete. Python's resource tracker ends a
# moment after its parent.
check_all() {
	await no_journal || fail "$what: journals were left: $(echo ./*.journal)"
	"$CPCONV" --info --tsv >all 2>err || fail "$what: $(cat err)"
	[ "$(grep -c '^file' all)" -eq "$(find . -name '*.cps' | wc -l)" ] || fail "$what: not one tree: $(cat err)"
	awk -F "$tab" -v what="$what" '
		$1 == "file" { file = $2; n++ }
		$1 == "samples" && !$2 { bad = "without samples" }
		$1 == "credited_ns" { credited = $2 }
		$1 == "process_cpu_ns" { used = $2 }
		$1 == "own_ns" {
			d = used - credited - $2
			if (d < 0) d = -d
			if (d > used / 100 + 2000000) bad = "credited " credited ", own " $2 ", of " used
		}
		$1 == "ended" && $2 != "clean" && $2 != "exec" { bad = "ended " $2 }
		$1 == "ended" && bad { print what ": " file ": " bad; exit }
		END { if (!n) print what ": nothing" }' all >bad
	[ ! -s bad ] || fail "$(cat bad)"
}

# ---- make ----------------------------------------------------------------------------------------
function_of() {
	awk -v k="$1" 'BEGIN {
		print "struct node { struct node *next; int key; double weight; char name[24]; };"
		for (i = 0; i < 60; i++) {
			printf "int look_%d_%d(struct node *n, int key)\n{\n\tint found = 0;\n", k, i
			print "\tfor (; n; n = n->next)\n\t\tswitch ((n->key ^ key) % 9) {"
			for (c = 0; c < 9; c++)
				printf "\t\tcase %d: found += n->name[%d] * %d + (int)(n->weight / %d); break;\n",
					c, (i + c) % 24, i * 7 + c, c + 2
			print "\t\t}\n\treturn found;\n}"
		}
	}'
}

if command -v make >/dev/null && command -v gcc >/dev/null; then
	what="make"
	fresh_directory make
	for i in 1 2 3 4 5; do
		function_of $i >part$i.c
	done
	echo 'int main(void) { return 0; }' >main.c
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\necho $$ >>drivers\nexec gcc "$@"\n' >driver && chmod +x driver
	# shellcheck disable=SC2016
	printf 'CC := ./driver\nCFLAGS := -O2\nprogram: main.o part1.o part2.o part3.o part4.o part5.o\n\t$(CC) -o $@ $^\n' >Makefile
	record make -s -j2 >out 2>&1 || fail "make: $?: $(cat out)"
	./program || fail "make: the program: $?"
	[ -s drivers ] || fail "make: has not used its compiler"
	check_all
	awk -F "$tab" 'NR == FNR { driver[$1] = 1; next }
		$1 == "ppid" { parent = $2 }
		$1 == "exe" && $2 ~ /\/cc1$/ { n[parent]++; if (!(parent in driver)) print "not a driver: " parent }
		END { for (p in n) k++; if (k < 5) print "cc1 of " k + 0 " drivers" }' drivers all >bad
	[ ! -s bad ] || fail "make: $(cat bad)"
	"$CPCONV" --exe '/cc1$' --by process --folded --unit gticks 2>/dev/null | cut -d ';' -f 1 | sort -u | wc -l >groups
	[ "$(cat groups)" -ge 5 ] || fail "make: --by process gives $(cat groups) compilers"
	told="make: $(grep -c '^file' all) streams of $(grep -c . drivers) compilers; "
fi

# ---- a pipeline -------------------------------------------------------------------------------
for clock in timer itimer; do
	what="pipeline, $clock"
	fresh_directory pipe.$clock
	cp "$targets/spin" one && cp "$targets/spin" two
	# shellcheck disable=SC2016 # for the shell
	record CPSAMPLE_CLOCK=$clock sh -c 'echo $$ >shell; ./one 100 | ./two 150 | cat; (./one 50; ./two 60) | cat; true' >out ||
		fail "$what: $?"
	check_all
	for name in one two; do
		set -- ./cpsample.$name.*.cps
		[ $# -eq 2 ] || fail "$what: streams of $name: $*"
	done
	[ "$(awk -F "$tab" -v shell="$(cat shell)" '$1 == "ppid" && $2 == shell' all | wc -l)" -ge 2 ] ||
		fail "$what: not children of the shell"
done

# ---- Python -----------------------------------------------------------------------------------
python=/usr/bin/python3.11
if [ -x $python ]; then
	cat >"$tmp/family.py" <<'END'
import multiprocessing, os, sys, time

def tell(role):
    with open("report", "a") as f:
        print(role, os.getpid(), os.getppid(), round(time.process_time() * 1e9), file=f)

def work(n):
    end = time.process_time() + 0.15 * n
    while time.process_time() < end:
        sum(range(20000))
    tell("child")

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    children = [context.Process(target=work, args=(n,)) for n in (1, 2)]
    for c in children:
        c.start()
    for c in children:
        c.join()
        assert c.exitcode == 0, c.exitcode
    with context.Pool(2) as pool:
        assert pool.map(abs, range(-200, 0)) == list(range(200, 0, -1))
        pool.close()
        pool.join()
    tell("parent")
END
	for method in fork spawn; do
		for clock in timer itimer; do
			what="Python, $method, $clock"
			fresh_directory python
			record CPSAMPLE_CLOCK=$clock $python "$tmp/family.py" $method >out 2>&1 || fail "$what: $?: $(cat out)"
			[ ! -s out ] || fail "$what: $(cat out)"
			check_all
			while read -r role pid parent used; do
				set -- ./cpsample.*."$pid".cps
				[ -f "$1" ] || fail "$what: no stream of the $role"
				[ "$role" = parent ] || [ "$(info "$1" ppid)" = "$parent" ] ||
					fail "$what: child of $(info "$1" ppid), not $parent"
				at_least "$(info "$1" process_cpu_ns)" $((used * 9 / 10)) ||
					fail "$what: the $role used $used ns, $(info "$1" process_cpu_ns) in the stream"
			done <report
		done
	done
	told="${told-}Python too"
fi
note "${told-}"
