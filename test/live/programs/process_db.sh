#!/bin/sh
# SPDX-License-Identifier: MIT
# The program process_db of Hall & Goldberg 1993 (doc/examples/process_db.c) is recorded. The call
# path profile agrees with the figures that the paper prints in section 4, above all with this one:
# of the two calls of qsort one takes two thirds of the time and the other none. The optimisation
# saves what that predicts.
. "$(dirname "$0")/../lib.sh"
process_db=$BUILD/examples/process_db

"$process_db" --create staff.db || fail "no database"
record "$process_db" staff.db >out 2>err || fail "process_db: $(cat err)"
stream=$(one_stream) || fail "$stream"
n=$(equal_samples "$stream")
[ "$n" -ge 200 ] || fail "only $n samples"

# A sample may hit the second qsort, which takes about half a millisecond.
"$CPCONV" --callpath --tsv "$stream" >down || fail "no call path profile"
shares_agree down "$n" 2676 <<'END' || fail "the call path profile is not the paper's"
2676 main
2355 main;uniquify_db
1820 main;uniquify_db;qsort
303 main;print_salary_list
303 main;print_salary_list;extract_salary_fields
0 main;print_salary_list;qsort
END

# A function profile shows both calls together, and nothing that distinguishes them.
"$CPCONV" --functions --tsv "$stream" >functions || fail "no function profile"
shares_agree functions "$n" 2676 <<'END' || fail "the function profile is not the paper's"
2676 main
1820 qsort
END

# "The total run time would be only 1 - 0.68 = 0.32 as much": in one of three runs within 15 %.
for _ in 1 2 3; do
	rm -f plain.cps localized.cps
	record CPSAMPLE_OUTPUT=plain.cps "$process_db" staff.db >out 2>err || fail "$(cat err)"
	record CPSAMPLE_OUTPUT=localized.cps "$process_db" --localized staff.db >localized 2>err ||
		fail "$(cat err)"
	same out localized "what the optimised program prints"
	left=$(cpu_ratio localized.cps plain.cps)
	within 15 "$left" 0.32 && break
done
within 15 "$left" 0.32 || fail "$left of the time is left, 1 - 0.68 was predicted"
note "$(info "$stream" samples) samples; the optimisation leaves $left, predicted 0.32"
