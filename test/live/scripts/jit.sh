#!/bin/sh
# SPDX-License-Identifier: MIT
# `cpsample --jit` asks Node and Java for names and whole stacks. What the user has set is kept and comes first. Without
# --jit nothing is set.
#
# Seen to fail:
# - If ask_runtimes() replaces what is set.
# - Without -XX:+PreserveFramePointer Java's stacks are not whole; without the perf map no method has a name.
# - Without --interpreted-frames-native-stack a function that is not compiled is one of the interpreter.
# May run beside others.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"
unset NODE_OPTIONS JAVA_TOOL_OPTIONS PYTHONPERFSUPPORT DOTNET_PerfMapEnabled
cpsample() {
	"$root/scripts/cpsample" --library "$LIBRARY" "$@"
}
variables() {
	grep -E '^(NODE_OPTIONS|JAVA_TOOL_OPTIONS|PYTHONPERFSUPPORT|DOTNET_PerfMapEnabled)=' environment
}

cpsample env >environment || fail "without --jit: exit status $?"
! variables || fail "without --jit these are set"
NODE_OPTIONS=--no-warnings JAVA_TOOL_OPTIONS="-Xmx64m -Da=b" PYTHONPERFSUPPORT=0 cpsample --jit env >environment ||
	fail "exit status $?"
[ "$(variables | wc -l)" -eq 4 ] || fail "not four variables: $(variables)"
for begin in "NODE_OPTIONS=--no-warnings --perf-basic-prof" "JAVA_TOOL_OPTIONS=-Xmx64m -Da=b -XX:" "PYTHONPERFSUPPORT=0"; do
	variables | grep -qe "^$begin" || fail "no $begin: $(variables)"
done

# recorded NAME COMMAND...: with --jit it writes the same to standard output; sets $stream. The perf map in /tmp goes.
recorded() {
	name=$1
	shift
	"$@" >want || fail "$name: exit status $?"
	mkdir "$name"
	cpsample --jit --dir "$name" "$@" >got 2>err || fail "$name: exit status $?: $(cat err)"
	same want got "$name: output"
	stream=$(one_stream "$name") || fail "$stream"
	pid=${stream##*"$name".}
	rm -f "/tmp/perf-${pid%.cps}.map"
	mostly_whole "$stream" 95 || fail "$name: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$name: no view"
}

if command -v node >/dev/null && command -v javac >/dev/null; then :; else skip "no node, or no javac"; fi
cat >script.js <<'END'
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
function outer() { return fibonacci(24); }
let sum = 0;
while (process.cpuUsage().user < 1000000) sum += outer();
console.log(typeof sum);
END
recorded node node --no-opt --no-sparkplug script.js # all is interpreted
grep -qE '^_start;.*:.?outer [^;]*script.js[^;]*;.*:.?fibonacci [^;]*script.js' folded || fail "node: no names: $(head -n 5 folded)"
note "node: $(info "$stream" samples) samples, $(info "$stream" complete_percent) % whole"

cat >Prog.java <<'END'
public class Prog {
	static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
	static int outer() { return fibonacci(24); }
	public static void main(String[] arguments) {
		int sum = 0;
		for (int i = 0; i < 10000; i++)
			sum += outer();
		System.out.println(sum);
	}
}
END
javac Prog.java >javac.log 2>&1 || fail "javac: $(cat javac.log)"
recorded java java Prog
grep -qE '^clone3?;.*JavaMain.*;int Prog\.fibonacci\(int\)' folded || fail "java: no names: $(head -n 5 folded)"
[ "$(grep -vc '^Picked up JAVA_TOOL_OPTIONS: ' err)" -eq 0 ] || fail "java says: $(cat err)"
note "java: $(info "$stream" samples) samples, $(info "$stream" complete_percent) % whole"
