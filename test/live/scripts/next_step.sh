#!/bin/sh
# SPDX-License-Identifier: MIT
# Errors of cpconv and cpsample name the next step: what was probably meant, or what there is instead.
#
# Seen to fail: each line, with its words left out of the message.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cpsample=$root/scripts/cpsample

record CPSAMPLE_OUTPUT=rec.cps "$targets/spin" 50 >out || fail "spin ended with $?"
printf 'main;compute_total 500\nmain;b 300\n' >x.folded
mkdir empty
cp "$targets/spin" program

# says STATUS TEXT COMMAND...: the command ends so, and this is in its one line on standard error
says() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$want" ] || fail "$*: exit $status: $(cat err)"
	grep -qF -e "$text" err || fail "$*: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$*: more than a line: $(cat err)"
}

(cd empty && "$CPCONV" >../out 2>../err)
[ $? -eq 1 ] && grep -q 'cpsample PROGRAM makes one (a program that used less than a tick leaves none)$' err ||
	fail "no recording: $(cat err)"
says 1 'empty: no *.cps file in this directory' "$CPCONV" empty
says 1 'other.cps: No such file or directory; recordings there: rec.cps' "$CPCONV" other.cps
says 1 'flat: No such file or directory; the view is --flat' "$CPCONV" flat x.folded
says 1 'program: is a program, not a recording; cpsample runs a program and makes one' "$CPCONV" program
says 2 '--bottom-up; did you mean --bottomup? (see cpconv --help=all)' "$CPCONV" --bottom-up x.folded
says 2 'there is no view "tre"; did you mean tree?' "$CPCONV" --format tre x.folded
says 2 '--flat takes no --up; it is for --callpath (see cpconv --help=all)' "$CPCONV" --up x.folded
for view in pprof speedscope firefox parquet callgrind html summary info; do
	says 2 "--$view takes no --top (see cpconv --help=all)" "$CPCONV" --$view --top 2 -o out.file x.folded
done
for view in pprof speedscope firefox parquet threads info; do
	says 2 "--$view takes no --granularity (see cpconv --help=all)" "$CPCONV" --$view --granularity line -o out.file x.folded
done
says 2 '-o g.svg: --flat is no picture; --dot draws one' "$CPCONV" --flat -o g.svg x.folded
says 2 '-o g.jpg: pictures are .svg, .png or .pdf' "$CPCONV" --dot -o g.jpg x.folded
# Seen to fail: text was written to g.xyz and to p.html.
says 2 '-o g.xyz: no view has files of that kind; did you mean --flat -o g.xyz, or a picture, g.svg?' "$CPCONV" -o g.xyz x.folded
mkdir d.x || fail d.x
for pair in 'html p.html' 'html d.x/p.html' 'pprof p.pb.gz' 'json p.json' 'pack p.cps' 'dot .x.dot'; do
	says 2 "-o ${pair#* }: did you mean --${pair%% *} -o ${pair#* }?" "$CPCONV" -o "${pair#* }" x.folded
	[ ! -e "${pair#* }" ] || fail "${pair#* } is there"
done
for pair in -o=d.x/plain -o=plain.txt -o=.hidden -o=n.12 -o=dots. --flat=g.xyz --tsv=p.tsv --json=p.xyz; do
	option=${pair%%=*}
	[ "$option" != -o ] || option=--strict
	"$CPCONV" "$option" -o "${pair#*=}" x.folded && [ -s "${pair#*=}" ] || fail "$option -o ${pair#*=}: status $?"
done
says 1 'none/x: No such file or directory: its directory does not exist' "$CPCONV" --tree -o none/x x.folded
says 1 'empty: Is a directory: name a file in it' "$CPCONV" --tree -o empty x.folded
says 1 'no function "comptue_total" in the profile; similar: compute_total' "$CPCONV" --tree --root comptue_total x.folded
says 1 'no function "zzz" in the profile; the view functions lists all' "$CPCONV" --tree --root zzz x.folded
"$CPCONV" --resource real rec.cps 2>err
grep -qF 'no input counts the resource "real" (cpsample -r real PROGRAM records it); there are:' err || fail "real: $(cat err)"
says 2 'needs recordings' "$CPCONV" --timeline x.folded
says 125 'no program given; see cpsample --help' "$cpsample"
says 125 'unknown option --ressource; did you mean --resource?' "$cpsample" --ressource cpu program
says 125 'unknown option --bugdet=3; did you mean --budget?' "$cpsample" --bugdet=3 program
says 125 'unknown option --xyzzy; see cpsample --help=all' "$cpsample" --xyzzy program
says 125 '-F: there is no such option; -r cpu:1ms takes' "$cpsample" -F 999 program
says 125 '-r cpu,wall: "wall" is no resource; did you mean real?' "$cpsample" -r cpu,wall ./program
says 125 '-r maloc: "maloc" is no resource; did you mean alloc?' "$cpsample" -r maloc ./program
says 125 '-r swithces: "swithces" is no resource; did you mean switches?' "$cpsample" -r swithces ./program
says 125 '-r CPU: "CPU" is no resource; did you mean cpu?' "$cpsample" -r CPU ./program
says 125 '-r cpu,LOCK: "LOCK" is no resource; did you mean lock?' "$cpsample" -r cpu,LOCK ./program
says 125 '-r xyzzy: "xyzzy" is no resource; see cpsample --list-resources' "$cpsample" -r xyzzy ./program
says 125 '-c timr: must be strata, timer, itimer or perf; did you mean timer?' "$cpsample" -c timr ./program
says 125 '-c sun: must be strata, timer, itimer or perf' "$cpsample" -c sun ./program
grep -q mean err && fail "-c sun: $(cat err)"
says 125 '-o g.xyz: the name of a recording ends in .cps, as g.cps does; cpconv -o makes' "$cpsample" -o g.xyz ./program
for name in plain n.1 x.%p; do
	"$cpsample" --library "$LIBRARY" -r signals -o $name sh -c 'kill -PROF $$; true' || fail "-o $name: status $?"
done
[ -f plain ] && [ -f n.1 ] || fail "-o plain, n.1: $(ls)"
echo 'int main(void) { return 0; }' >main.c
if $CC -static -o static main.c 2>log; then
	says 125 './static: statically linked, so that nothing can be preloaded; link it without -static' "$cpsample" ./static
fi
# Programs of Go: without cgo there is nothing to preload into, or threads that are not the C library's, in which a tick
# ends the program; with it they are recorded.
if command -v go >log; then
	mkdir go && cd go || fail go
	printf 'module m\n' >go.mod
	printf 'package main\n\nfunc main() {}\n' >main.go
	export GOCACHE="$tmp/gocache" GOFLAGS=-mod=mod
	CGO_ENABLED=0 go build -o ../static.go . >../log 2>&1 || fail "go: $(cat ../log)"
	go build -ldflags=-linkmode=external -o ../external.go . >../log 2>&1 || fail "go: $(cat ../log)"
	printf 'package main\n\n// static int f(void) { return 1; }\nimport "C"\n\nfunc main() { C.f() }\n' >main.go
	CGO_ENABLED=1 go build -o ../cgo.go . >../log 2>&1 || fail "go: $(cat ../log)"
	cd ..
	says 125 './static.go: a Go program without cgo is statically linked' "$cpsample" ./static.go
	says 125 './external.go: a Go program without cgo, whose threads are not' "$cpsample" ./external.go
	"$cpsample" --library "$LIBRARY" ./cgo.go || fail "cgo: status $?"
fi
says 127 'rec.cps: is a recording; cpconv rec.cps shows it' "$cpsample" rec.cps
says 127 'program: not found in PATH; ./program is here' "$cpsample" program

# A picture needs no more than its name.
if command -v dot >/dev/null; then
	"$CPCONV" -o g.svg x.folded && grep -q '<svg' g.svg || fail "-o g.svg"
fi
