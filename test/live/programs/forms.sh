#!/bin/sh
# SPDX-License-Identifier: MIT
# The forms program of Hall & Goldberg 1993 (doc/examples/forms.c) is recorded. The function
# profile and the upward profile agree with the figures that the paper prints in section 4.4, and
# the optimisation that the paper derives from them saves what they predict.
#
# Chance: a comparison fails in one of 16,000 cases, of which an attempt makes 16: one of 1,000 fails, and three of
# three in one of a billion runs.
#
# Wants a core of its own.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"
forms=$BUILD/examples/forms

# profiles TIMES
profiles() {
	record CPSAMPLE_RESOURCES=cpu:1ms "$forms" >forms.txt 2>err || fail "forms: $(cat err)"
	stream=$(one_stream) || fail "$stream"
	n=$(equal_samples "$stream")
	[ "$n" -ge 200 ] || fail "only $n samples"

	"$CPCONV" --functions --tsv "$stream" >functions || fail "no function profile"
	shares_agree functions "$n" 614 <<-'END' || fail "the function profile is not the paper's"
	614 main
	614 db_read_record
	530 db_get_property
	422 address_information
	107 invoice
	106 form_US_1040
	106 envelope
	106 loan_application
	105 form_NJ_1040
	84 db_update_record
	END

	"$CPCONV" --callpath --up --root db_read_record --tsv "$stream" >up || fail "no upward profile"
	shares_agree up "$n" 614 <<-'END' || fail "the upward profile is not the paper's"
	614 db_read_record
	530 db_get_property;db_read_record
	422 address_information;db_get_property;db_read_record
	85 envelope;address_information;db_get_property;db_read_record
	85 invoice;address_information;db_get_property;db_read_record
	84 db_update_record;db_read_record
	END

	# The contexts that the paper names are printed first.
	"$CPCONV" --callpath --up --root db_read_record "$stream" >up.txt
	sed -n 's/^[0-9.]* \((.*)\) \[.*/\1/p' up.txt | head -n 3 >first
	printf '(%s)\n' db_read_record "db_get_property db_read_record" \
		"address_information db_get_property db_read_record" >wanted
	same wanted first "the head of the upward profile"
	note "$(info "$stream" samples) samples"
}
with_more_work profiles 1

# "We can save 75 % of the 0.6873 total run time fraction": the number of records read falls by
# exactly that. The time falls by that within a third in one of three runs, because the machine does
# other things as well.
records() {
	"$forms" "$@" 2>&1 >/dev/null | sed 's/.* \([0-9]*\) records read.*/\1/'
}
before=$(records) after=$(records --specialized)
[ $((before * 14)) -eq $((after * 29)) ] || fail "$before records read, specialized $after"
for _ in 1 2 3; do
	rm -f plain.cps special.cps
	record CPSAMPLE_OUTPUT=plain.cps "$forms" >plain.txt 2>err || fail "$(cat err)"
	record CPSAMPLE_OUTPUT=special.cps "$forms" --specialized >special.txt 2>err || fail "$(cat err)"
	same plain.txt special.txt "what the specialized program prints"
	left=$(cpu_ratio special.cps plain.cps)
	within 33 "$left" 0.485 && break
done
within 33 "$left" 0.485 || fail "$left of the time is left, 1 - 0.75 x 0.6873 was predicted"
note "the optimisation leaves $left, predicted 0.485"
