#!/bin/sh
# SPDX-License-Identifier: MIT
# What --json writes is JSON, whatever the names of functions and programs contain: quotes,
# backslashes, bytes that are no UTF-8, newlines, ten thousand bytes. Numbers of 64 bits are exact,
# and the rows are those of --tsv.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need python3

# Each table is written as JSON and as TSV: N.json, N.tsv; the list says which is what.
n=0
: >list

# write FILE OPTION...: write all views of the file
write() {
	file=$1
	shift
	before=$n
	for view in $("$CPCONV" --help | sed -n '/^Views:/,/^$/s/^  --\([a-z-]*\) .*/\1/p'); do
		if ! "$CPCONV" "--$view" --json "$@" "$file" >$n.json 2>err; then
			grep -q 'is no table' err || fail "--$view --json $file: $(cat err)"
			continue
		fi
		"$CPCONV" "--$view" --tsv "$@" "$file" >$n.tsv 2>err || fail "--$view --tsv $file: $(cat err)"
		echo "$n $view $*" >>list
		n=$((n + 1))
	done
	[ $n -gt "$before" ] || fail "$file has no tables"
}

long=$(awk 'BEGIN { for (i = 0; i < 2500; i++) printf "long" }')
{
	printf 'main;a "quoted" name 1\nmain;back\\slash\\ 2\nmain;tab\there 4\nmain;\\";}]{ 8\n'
	printf 'main;caf\303\251;\342\202\254;\360\237\220\252 16\nmain;\377\376 32\nmain;\303 64\nmain;\355\240\200 128\n'
	printf 'main;\001\002\033[31m\177 256\nmain;<a>&amp;</a>;%%s%%n 512\n;; 1024\n 2048\nmain;a b;a b;a b 0\n'
	printf 'main;%s 4096\n%s;%s\342\202\254 8192\n' "$long" "$long" "$long"
	printf 'main;f;g;f;g;h 16384\nmain;large 9223372036854775807\n'
} >odd.folded
write odd.folded
write odd.folded --unit samples --top 5
write odd.folded --focus 'f|a' --hide '^g$'
"$CPCONV" --flat --json odd.folded | grep -q '"total": 9223372036854808574, "kept": 9223372036854808574' ||
	fail "the total is not exact: $("$CPCONV" --flat --json odd.folded | head -n 1 | cut -c 1-200)"
"$CPCONV" --flat --json --ignore large odd.folded | grep -q '"total": 9223372036854808574, "kept": 32767' ||
	fail "what is kept is not exact: $("$CPCONV" --flat --json --ignore large odd.folded | head -n 1 | cut -c 1-200)"
echo ' 0' >none.folded
write none.folded

# A program and its arguments have such names, and there is a profile without samples.
odd=$(printf 'a "b"\\c\n\377\033d')
cp "$targets/spin" "./$odd"
record CPSAMPLE_OUTPUT=odd.cps "./$odd" 100 "$odd" >/dev/null || fail "spin ended with $?"
mv odd.cps "$odd.cps"
write "./$odd.cps"
write "./$odd.cps" --from 99
write "./$odd.cps" --by thread --granularity address
"$CPCONV" --info --json "./$odd.cps" | python3 -c '
import json, sys
info = {row["key"]: row["value"] for row in json.load(sys.stdin)["rows"] if "value" in row}
assert info["exe"].endswith("/a \"b\"\\c\n\\xff\x1bd"), info["exe"]
assert info["command"].startswith("./a \"b\"\\c\n\\xff\x1bd 100 a "), info["command"]
assert type(info["pid"]) is int and info["credited_ns"] > 50000000
' 2>err || fail "--info: $(tail -n 1 err)"
# The output is an object that says which view it is. Its rows have the values of the TSV rows in
# their order.
cat >check.py <<'END'
import json, re

def text(value):
    if value is None:
        return b"-"
    if isinstance(value, list):
        return b";".join(name.encode() for name in value)
    return value.encode()

def same(value, field):
    if type(value) is int:
        return str(value).encode() == field
    if type(value) is float:
        return value == float(field)
    # What cannot stand in a line is written in other ways.
    plain = re.fullmatch(rb"[ -:<-\[\]-~]*", text(value))
    return not plain or text(value) == field

def check(document, view, lines):
    rows = document["rows"]
    assert document["view"] == view, document["view"]
    for key, kind in (("resource", str), ("unit", str), ("samples", int), ("rows", list)):
        assert type(document[key]) is kind, key
    if "total" in document:
        assert type(document["total"]) is int and document["kept"] <= document["total"]
    assert len(lines) == len(rows), (len(lines), len(rows))
    for row, line in zip(rows, lines):
        fields = line.split(b"\t")
        assert len(fields) == len(row), (row, line)
        for value, field in zip(row.values(), fields):
            assert same(value, field), (value, field)
    return len(rows)

rows = 0
for entry in open("list"):
    number, view = entry.split()[:2]
    try:
        document = json.load(open(number + ".json", encoding="utf-8"))
        rows += check(document, view, open(number + ".tsv", "rb").read().split(b"\n")[:-1])
    except Exception as e:
        raise SystemExit(f"--{entry.strip()}: {e}")
print("note:", rows, "rows")
END
python3 check.py || fail "see above"
