#!/bin/sh
# SPDX-License-Identifier: MIT
# What --pprof writes is read by go tool pprof, which then has the totals of --tsv: of each function, self and total, with
# recursion, inlined functions, threads, several processes, several resources, and stacks without addresses. It
# has the modules with their build ids, the lines, and the groups of --by as labels.
#
# Servers receive the file as it is, by the commands of cpconv(1). With --base pprof shows the difference.
#
# Seen to fail:
# - If samples of the base have no label, pprof shows the sum.
# - With locations that have the outermost function first, inlined functions have no self.
# - With the first resource first, pprof shows the last one.
# - With the frames of columns in the stacks, there is a function without a name above all.
# - With labels that have a number and no unit, there is no rank 0.
# - If the reader takes the last label, not the first one, threads of the same name are one.
# - If direct recursions are calls by the caller.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
command -v go >/dev/null || skip "no go on this machine (golang-go)"
export HOME="$tmp" PPROF_TMPDIR="$tmp" PPROF_BINARY_PATH="$tmp"

# tops FILE [OPTION...]: pprof's table, as lines SELF TOTAL FUNCTION, sorted
tops() {
	file=$1
	shift
	go tool pprof -top -unit=ns -nodecount=0 -nodefraction=0 -edgefraction=0 "$@" "$file" 2>err |
		awk '/flat%/ { table = 1; next }
			table { sub(/ns$/, "", $1); sub(/ns$/, "", $4); self = $1; total = $4
				sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); sub(/ \((partial-)?inline\)$/, "")
				print self "\t" total "\t" $0 }' | sort >got
	[ -s got ] || fail "$file: pprof shows nothing: $(cat err)"
}

# same_totals NAME RESOURCE OPTION...: of what follows, as read by pprof and by --flat
same_totals() {
	name=$1 resource=$2
	shift 2
	"$CPCONV" --pprof -o "$name.pb.gz" "$@" || fail "$name: not written"
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --resource "$resource" "$@" |
		awk -F "$tab" '{ print $1 "\t" $2 "\t" $5 }' | sort >want
	[ -s want ] || fail "$name: no table"
	tops "$name.pb.gz"
	same want got "$name: totals"
}

record CPSAMPLE_OUTPUT=recursion.cps "$targets/deep" 300 200 >out || fail "deep: ended with $?"
same_totals recursion cpu recursion.cps
record CPSAMPLE_OUTPUT=threads.cps CPSAMPLE_RESOURCES=cpu,real "$targets/threads" 100 3 || fail "threads: ended with $?"
same_totals threads cpu threads.cps
same_totals real real --resource real threads.cps

cat >inlined.c <<END
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
static inline __attribute__((always_inline)) void inner(void)
{
	sink = burn(sink, 100000);
}
__attribute__((noinline)) static void outer(void)
{
	inner();
}
int main(void)
{
	for (uint64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + 200000000; cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end;)
		outer();
	return 0;
}
END
$CC -O1 -g -Wl,--build-id -o inlined inlined.c || fail "cannot build inlined"
record CPSAMPLE_OUTPUT=inlined.cps ./inlined || fail "inlined: ended with $?"
same_totals inlined cpu inlined.cps
go tool pprof -raw inlined.pb.gz >raw 2>err || fail "inlined: $(cat err)"
id=$(file inlined | sed 's/.*BuildID\[sha1\]=\([0-9a-f]*\).*/\1/')
[ "${#id}" -eq 40 ] || id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
grep -q "/inlined $id \[FN\]" raw || fail "inlined: no mapping with build id $id: $(grep -A 9 ^Mappings raw)"
grep -q "outer .*inlined.c:$(grep -n '	inner();' inlined.c | cut -d: -f1) " raw || fail "inlined: no line of the inlined call"

# Several resources are types of one file, of which tools show the first one.
"$CPCONV" --pprof --resource cpu,real -o both.pb.gz threads.cps || fail "both: not written"
go tool pprof -raw both.pb.gz 2>err | grep -q '^samples/count real/nanoseconds cpu/nanoseconds\[dflt\]$' ||
	fail "both: other types: $(go tool pprof -raw both.pb.gz 2>err | sed -n 5,6p)"
for resource in cpu real; do
	tops both.pb.gz -sample_index=$resource
	awk '$1 || $2' got >got.$resource
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --resource $resource threads.cps |
		awk -F "$tab" '$1 || $2 { print $1 "\t" $2 "\t" $5 }' | sort >want
	same want got.$resource "both: totals of $resource"
done

# Counted calls are a type; the others have what they had. Without counted calls there is no such type.
$CC -O2 -g -pg -mfentry -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -pthread -o counted "$root/test/targets/counted.c" ||
	fail "cannot build counted"
record CPSAMPLE_OUTPUT=counted.cps CPSAMPLE_RESOURCES=cpu:100us ./counted plain 20000000 >truth || fail "counted ended with $?"
"$CPCONV" --pprof -o counted.pb.gz counted.cps || fail "counted: not written"
tops counted.pb.gz
awk '$1 || $2' got >got.cpu
"$CPCONV" --flat --self leaf --tsv --threshold 0 counted.cps | awk -F "$tab" '$1 || $2 { print $1 "\t" $2 "\t" $5 }' | sort >want
same want got.cpu "counted: totals"
go tool pprof -raw counted.pb.gz 2>err | grep -q '^samples/count calls/count cpu/nanoseconds\[dflt\]$' ||
	fail "counted: other types: $(go tool pprof -raw counted.pb.gz 2>err | sed -n 5,6p)"
go tool pprof -raw inlined.pb.gz 2>err | grep -q calls/count && fail "inlined: it has calls"
tops counted.pb.gz -sample_index=calls
awk -F "$tab" '$1 { print $3, $1 }' got | sort >got.calls
awk '{ n[$2] += $3 } END { n["main"] = 1; for (f in n) print f, n[f] }' truth | sort >want
same want got.calls "counted calls"
go tool pprof -traces -sample_index=calls counted.pb.gz >traces 2>err || fail "traces: $(cat err)"
awk '$1 == 10 && $2 == "deep" { getline; print $1; getline; print $1 }' traces >got
printf 'deep\nplain\n' | same /dev/stdin got "deep by itself: $(cat traces)"

# Groups are labels; stacks from text have neither addresses nor modules; names are only ever text.
"$CPCONV" --pprof --by thread -o by.pb.gz threads.cps || fail "--by: not written"
go tool pprof -tags by.pb.gz 2>err | grep -q 'worker-1 (tid [0-9]*)' || fail "--by: no labels: $(cat err)"
# Thread, process and rank have labels of their own, by which pprof selects. Rank 0 is one, too.
go tool pprof -tags by.pb.gz >tags 2>err
for label in "thread worker-1" "tid [0-9]+" "pid $(info threads.cps pid)"; do
	grep -A 9 "^ *${label% *}: Total" tags | grep -Eq ": ${label#* }\$" || fail "--by thread: no label $label: $(cat tags)"
done
for rank in 0 3; do
	record CPSAMPLE_OUTPUT=rank.$rank.cps CPSAMPLE_RESOURCES=cpu:1ms PMIX_RANK=$rank "$targets/spin" 30 >out || fail "spin: $?"
done
record CPSAMPLE_OUTPUT=rank.none.cps CPSAMPLE_RESOURCES=cpu:1ms "$targets/spin" 30 >out || fail "spin: $?"
for by in rank process; do
	"$CPCONV" --pprof --by $by -o ranks.pb.gz rank.*.cps || fail "--by $by: not written"
	for rank in 0 3; do
		go tool pprof -top -unit=ns -nodefraction=0 -tagfocus=rank=$rank ranks.pb.gz >top 2>err
		grep -q "^Showing nodes accounting for $(info rank.$rank.cps credited)ns," top || fail "--by $by: rank $rank: $(cat top err)"
	done
	[ "$(go tool pprof -tags ranks.pb.gz 2>err | grep -A 9 '^ *rank: Total' | grep -c ' (.*%): ')" -eq 2 ] ||
		fail "--by $by: $(go tool pprof -tags ranks.pb.gz 2>err)"
done
# Read back, threads of the same name in several processes are still several.
"$CPCONV" --pprof --by thread -o again.pb.gz rank.*.cps || fail "--by thread: not written"
"$CPCONV" --threads --tsv again.pb.gz | cut -f 4 | sort >got
for file in rank.*.cps; do
	info "$file" credited
done | sort >want
same want got "read back: threads"
printf 'main;a 30\nmain;a;b\033[31m\377 12\n' >text.folded
"$CPCONV" --pprof text.folded | cat >text.pb.gz
tops text.pb.gz
printf '0\t42\tmain\n12\t12\tb?[31m?\n30\t42\ta\n' | sort >want
same want got "text: totals"

# A comparison: what was there before is taken off.
printf 'main;a 100\nmain;gone 20\n' >before.folded
printf 'main;a 70\nmain;new 50\n' >after.folded
"$CPCONV" --pprof --base before.folded -o diff.pb.gz after.folded || fail "--base: not written"
tops diff.pb.gz
printf '%s\t%s\t%s\n' -20 -20 gone -30 -30 a 50 50 new | sort >want
same want got "--base: differences"

# Of means the parts add up: 100 stacks that one of two runs has are 50 stacks.
awk 'BEGIN { for (i = 0; i < 100; i++) print "main;f;g" i " 1" }' >one.folded
echo "main;f 7" >other.folded
"$CPCONV" --pprof --base one.folded --base other.folded -o diff.pb.gz text.folded || fail "--base of two: not written"
tops diff.pb.gz
[ "$(awk -F "$tab" '$3 == "f" { print $2 }' got)" = -54 ] || fail "a mean of 107 / 2: $(grep -w f got)"

# What servers receive. The commands are those of OTHER PROGRAMS in cpconv(1), with another host and port.
need python3
need curl
cat >receiver.py <<'END'
import gzip, http.server
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if self.headers.get('Content-Encoding') == 'gzip':
            body = gzip.decompress(body)
        open('received.' + self.path.split('?')[0].strip('/').replace('/', '.'), 'wb').write(body)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Receiver)
open('port', 'w').write(str(server.server_port) + '\n')
server.timeout = 1000
for _ in range(3):
    server.handle_request()
END
python3 receiver.py &
while [ ! -s port ]; do sleep 0.05; done
cp both.pb.gz profile.pb.gz
{
	sed -n 's/^\.Li "\(curl .*\)"$/\1/p' "$root/doc/cpconv.1"
	sed -n '/^\.It Parca/,/^\.Ed/p' "$root/doc/cpconv.1" | sed '1,/^\.Bd/d; /^\.Ed/d; s/\\e$/\\/'
} | sed "s/HOST:[0-9]*/127.0.0.1:$(cat port)/; s/curl/curl -sS --noproxy '*'/" >commands
[ "$(grep -c curl commands)" -eq 3 ] || fail "commands: $(cat commands)"
sh -e commands >out 2>&1 || fail "curl: $(cat out commands)"
go tool pprof -raw profile.pb.gz >want 2>err || fail "raw: $(cat err)"
python3 -c 'import base64, json, sys
series = json.load(open("received.api.profiles.writeraw"))["series"]
assert series[0]["labels"]["labels"] == [{"name": "__name__", "value": "app"}], series
open("received.parca", "wb").write(base64.b64decode(series[0]["samples"][0]["rawProfile"], validate=True))' ||
	fail "Parca: $(cut -c 1-300 received.api.profiles.writeraw)"
for name in ingest v1.pprof parca; do
	go tool pprof -raw "received.$name" >got 2>err || fail "$name: $(cat err)"
	same want got "$name: another profile was received"
done

# It is refused where it would do harm or say something wrong.
"$CPCONV" --pprof --focus a text.folded 2>err >out && fail "--focus is not refused"
grep -q 'whole stacks' err || fail "--focus: $(cat err)"
[ ! -s out ] || fail "--focus: something was written"
