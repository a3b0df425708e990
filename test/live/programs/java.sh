#!/bin/sh
# SPDX-License-Identifier: MIT
# Java keeps frame pointers and names its code if it is asked to. Stacks are then whole, from clone to the
# methods, through interpreter and stubs, whose return addresses follow no call; and a method that is given
# twice as much to do as another one has twice its time, which the program measures itself. Without the
# options the output is the same, and nothing is named that is not known.
#
# Each share may differ by three standard errors and by 0.03, for a method runs for some ms before it is
# compiled, and is then one of the interpreter's.
#
# Seen to fail:
# - Without cps_call_returns() in call.c (only what follows a call is returned to) 1 % of the stacks are whole.
#
# Chance: one of 200 attempts is out of bounds, and three of three in one of eight million runs.
#
# Wants a core of its own.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"
need java
need javac

cat >Prog.java <<'END'
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Prog {
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static volatile long sink;
	static long usedA, usedB;

	static void spin(int n) {
		long s = sink;
		for (int i = 0; i < n; i++)
			s = (s * 1103515245L + 12345) % 2147483647L;
		sink = s;
	}
	static void taskA() { spin(40000); }
	static void taskB() { spin(20000); }
	static void round() {
		long a = threads.getCurrentThreadCpuTime();
		taskA();
		long b = threads.getCurrentThreadCpuTime();
		taskB();
		usedA += b - a;
		usedB += threads.getCurrentThreadCpuTime() - b;
	}
	public static void main(String[] arguments) {
		while (usedA + usedB < 2500000000L)
			round();
		System.out.println(usedA + " " + usedB);
	}
}
END
javac Prog.java >javac.log 2>&1 || fail "javac: $(cat javac.log)"
options="-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
# shellcheck disable=SC2086 # two options
java $options -version >bare 2>&1 || skip "java writes no perf map: $(head -n 1 bare)"

# run TIMES
run() {
	rm -rf run && mkdir run
	# shellcheck disable=SC2086 # two options
	(cd run && record java $options -XX:+PreserveFramePointer -XX:CompileCommand=quiet \
		'-XX:CompileCommand=dontinline,Prog.*' -cp "$tmp" Prog >../truth) || fault "java ended with $?"
	stream=$(one_stream run) || fail "$stream"
	pid=${stream##*java.}
	rm -f "/tmp/perf-${pid%.cps}.map"
	mostly_whole "$stream" 95 || fail "$(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "no view"
	read -r a b <truth
	all=$(info "$stream" process_cpu_ns)
	round='^clone3?;.*JavaMain.*;(Interpreter|void Prog\.main\([^;]*);void Prog\.round\(\);'
	true_shares folded "$(equal_samples "$stream")" 0.03 \
		taskA "$(ratio "$a" "$all")" "${round}void Prog\.taskA\(\)" \
		taskB "$(ratio "$b" "$all")" "${round}void Prog\.taskB\(\)" >said || fail "$(cat said)"
	unknown=$(folded_share ';\[unknown\]' folded)
	at_least 0.05 "$unknown" || fail "$unknown of the time is unknown"
	note "$(info "$stream" samples) samples, $(info "$stream" complete_percent) % whole; $(cat said)"
}

with_more_work run 1

mkdir plain
(cd plain && record java -cp .. Prog >../truth) || fault "without options java ended with $?"
grep -qx '[0-9]* [0-9]*' truth || fail "without options: $(cat truth)"
stream=$(one_stream plain) || fail "$stream"
within 1 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" || fail "does not account for all"
"$CPCONV" --folded --unit gticks "$stream" >folded || fail "no view"
! grep -q Prog folded || fail "a method has a name that nobody has told"
