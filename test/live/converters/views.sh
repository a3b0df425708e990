#!/bin/sh
# SPDX-License-Identifier: MIT
# The views of one recording agree: they have the same sums, a form that other tools accept, and
# the same bytes each time.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

record "$targets/shares" 2 1 >/dev/null || fail "shares ended with $?"
stream=$(one_stream) || fail "$stream"
all_views "$stream"

# info: every key once.
"$CPCONV" --info --tsv "$stream" >info.tsv
for key in file pid ppid exe command cwd host machine recorder start_ns resource unit interval \
	engine samples credited_ns process_cpu_ns own_ns own_kernel_ns children_ns children_missing_ns complete_percent deepest threads modules lost ended; do
	[ "$(cut -f 1 info.tsv | grep -c "^$key\$")" -eq 1 ] || fail "info has not one $key"
done
[ "$(info "$stream" exe)" = "$(readlink -f "$targets/shares")" ] || fail "exe: $(info "$stream" exe)"
[ "$(info "$stream" command)" = "$targets/shares 2 1" ] || fail "command: $(info "$stream" command)"
[ "$(info "$stream" resource)" = cpu ] || fail "resource: $(info "$stream" resource)"
[ "$(info "$stream" interval)" = 4000000 ] || fail "interval: $(info "$stream" interval)"
[ "$(info "$stream" lost)" = 0 ] || fail "lost: $(info "$stream" lost)"
credited=$(info "$stream" credited_ns)

# Folded text is what flame graph tools read: on each line a stack, a space, a number, and nothing
# else.
"$CPCONV" --folded --unit gticks "$stream" >folded
LC_ALL=C grep -vE '^.+ [0-9]+$' folded >odd && fail "folded: $(head -n 3 odd)"
LC_ALL=C grep '[[:cntrl:]]' folded >odd && fail "folded, control characters: $(head -n 3 odd)"
sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}
[ "$(sum folded)" = "$credited" ] || fail "folded adds up to $(sum folded), credited $credited"
"$CPCONV" --folded --unit samples "$stream" >hits
[ "$(sum hits)" = "$(info "$stream" samples)" ] || fail "folded adds up to $(sum hits) samples"

# Self times add up to the credited time, and so does the outermost level of the tree.
self=$("$CPCONV" --flat --tsv "$stream" | awk -F "$tab" '{ n += $1 } END { printf "%.0f\n", n }')
[ "$self" = "$credited" ] || fail "flat adds up to $self, credited $credited"
roots=$("$CPCONV" --tree --tsv "$stream" | awk -F "$tab" '$1 == 0 { n += $2 } END { printf "%.0f\n", n }')
[ "$roots" = "$credited" ] || fail "the tree adds up to $roots, credited $credited"
"$CPCONV" --callpath --tsv "$stream" | head -n 1 | grep -q "${tab}main\$" ||
	fail "callpath does not begin with main: $("$CPCONV" --callpath --tsv "$stream" | head -n 1)"

# Without a unit the samples are divided in proportion to what was credited: each function on each path has its share,
# within one sample.
"$CPCONV" --folded "$stream" >divided
[ "$(sum divided)" = "$(info "$stream" samples)" ] || fail "divided: adds up to $(sum divided) samples"
awk '
	{
		count = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, name, ";")
		path = ""
		for (i = 1; i <= n; i++) {
			path = path ";" name[i]
			if (NR == FNR)
				exact[path] += count
			else
				seen[path] += count
		}
		if (NR == FNR)
			weight += count
		else
			samples += count
	}
	END {
		for (path in exact) {
			off = seen[path] - exact[path] * samples / weight
			if (off > 1.001 || off < -1.001)
				print path, seen[path] + 0, exact[path] * samples / weight
		}
	}' folded divided >odd
[ ! -s odd ] || fail "divided: $(head -n 3 odd)"

# The folded view can be read as input, and gives the same tree as the recording.
"$CPCONV" --tree --tsv "$stream" >tree.recording
"$CPCONV" --tree --tsv folded >tree.folded
same tree.recording tree.folded "the tree of folded text"

# The output is the same in a file, of standard input, and the second time.
"$CPCONV" --tree --tsv -o tree.file "$stream" || fail "-o"
same tree.recording tree.file "-o"
"$CPCONV" --tree --tsv - <"$stream" >tree.stdin 2>err || fail "standard input: $(cat err)"
same tree.recording tree.stdin "standard input"

# Without a file the newest one in the current directory is read, and named.
"$CPCONV" --tree --tsv >tree.newest 2>err || fail "without a file: $(cat err)"
same tree.recording tree.newest "the newest recording"
grep -q "$(basename "$stream")" err || fail "does not say which is the newest: $(cat err)"

if command -v dot >/dev/null; then
	"$CPCONV" --dot "$stream" | dot -Tsvg >picture.svg 2>err || fail "dot: $(cat err)"
	[ ! -s err ] || fail "dot complains: $(cat err)"
	for function in main left right seventy twenty ten; do
		grep -q ">$function" picture.svg || fail "$function is not in the picture"
	done
else
	note "no dot on this machine"
fi

# No name and no name of a file brings a control character to the terminal, also none of U+0080 to U+009F, which have two
# bytes. (Seen to fail: U+009B reached it in all views and messages.)
csi=$(printf '\302\233')
long=$(printf '%*s' 255 '' | tr ' ' x)
printf 'main;a%s2Jb;%s%s 5\nmain 1\n' "$csi" "$long" "$csi" >"c$csi.folded"
for view in $(names_of_views); do
	for format in '' --tsv; do
		case $view$format in
		dot--tsv | folded--tsv | graph--tsv | summary--tsv | pprof* | parquet* | callgrind--tsv | firefox--tsv | speedscope--tsv) continue ;;
		esac
		"$CPCONV" "--$view" $format --strict "c$csi.folded" "c$csi.folded" >out 2>&1
		[ -s out ] || fail "--$view $format is empty"
		[ "$view$format" != callgraph ] || sed -i 's/^\f$//' out # which ends the first part, as in gprof's
		LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f]|\xc2[\x80-\x9f]' out >odd && fail "--$view $format: $(head -n 3 odd | od -c)"
	done
done
mv "$stream" "d$csi.cps" && touch -d tomorrow "d$csi.cps"
"$CPCONV" >out 2>&1 || fail "$(cat out)"
grep -q 'reading d??.cps' out || fail "the name of a file: $(head -n 1 out)"
exit 0
