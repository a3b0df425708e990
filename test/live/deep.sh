#!/bin/sh
# SPDX-License-Identifier: MIT
# A stack of 5,000 frames comes out whole.
. "$(dirname "$0")/lib.sh"

record "$targets/deep" 5000 1000 >/dev/null || fail "deep ended with $?"
stream=$(one_stream) || fail "$stream"
accounts_for_all "$stream"
at_least "$(info "$stream" deepest)" 5000 || fail "the deepest stack has $(info "$stream" deepest) frames"
at_least "$(info "$stream" complete_percent)" 99 || fail "$(info "$stream" complete_percent) % complete"

# In the longest line of the folded view descend stands 5,000 times above bottom.
"$CPCONV" --folded "$stream" | awk '
	length($0) > length(longest) { longest = $0 }
	END {
		n = gsub(/(^|;)descend/, "&", longest)
		if (n != 5000) { print n " frames of descend"; exit 1 }
	}' || fail "the folded stack is not whole"
