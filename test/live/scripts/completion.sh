#!/bin/sh
# SPDX-License-Identifier: MIT
# bash and zsh complete what the programs understand: all options that --help=all lists, the values of those that
# have a few, for a view only what it obeys, recordings, and the program that cpsample runs.
# Seen to fail: with an option left out of the list, with a view's options for all views, with = as a word, with the words
# after a comma as words of their own, with a program that is asked at each completion.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need bash
scripts=$root/scripts/completion
# The programs are asked by their names. The library need not be found for that.
PATH=$(dirname "$CPCONV"):$root/scripts:$PATH

# in_bash PROGRAM WORD...: what bash offers for the last word, a line each. Bash has split the words at =.
in_bash() {
	# shellcheck disable=SC2016 # bash is to expand it
	bash -c '. "$1" || exit; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		function=$(complete -p "$1" | sed "s/.* -F \([^ ]*\) .*/\1/")
		"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/cpsample.bash" "$@" 2>&1
}

# The shell in the terminal: what it would list goes into the file offered.
cat >inner.zsh <<'END'
fpath=($FUNCTIONS $fpath)
autoload -Uz compinit
compinit -u -d ./dump
bindkey '^I' complete-word
compadd() {
	[[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
	local -a hits
	builtin compadd -O hits "$@"
	print -rl -- $hits >>offered
	builtin compadd "$@"
}
after() { : >complete }
comppostfuncs=(after)
: >ready
END
cat >outer.zsh <<'END'
zmodload zsh/zpty || exit
wait_for() { for ((i = 0; i < 200; i++)); do [[ -e $1 ]] && return; sleep 0.05; done }
zpty shell zsh -f -i
zpty -w shell '. ./inner.zsh'
wait_for ready
zpty -w -n shell "$1"$'\t'
wait_for complete
zpty -d shell
END

# in_zsh PROGRAM WORD...: the same of zsh, which completes in a terminal only.
in_zsh() {
	rm -f offered complete ready
	FUNCTIONS=$scripts zsh -f outer.zsh "$*" >zsh.log 2>&1
	[ -e complete ] || fail "zsh has not completed: $*: $(cat zsh.log)"
	[ ! -e offered ] || sort -u offered | sed '/^$/d'
}

# offers WANTED WORD...: WANTED is a list of words, in any order
offers() {
	wanted=$(printf '%s\n' "$1" | tr ' ' '\n' | sort)
	shift
	got=$("in_$shell" "$@" | sort)
	[ "$got" = "$wanted" ] || fail "$shell: $*: $(echo "$got" | tr '\n' ' ')instead of $(echo "$wanted" | tr '\n' ' ')"
}

# The long options that a program's --help=all lists.
options_of() {
	case $1 in
	cpsample) "$root/scripts/cpsample" --help=all ;;
	cpconv) "$CPCONV" --help=all ;;
	cpprof) "$CPPROF" --help=all ;;
	esac | sed -n '/^Obeyed by/q; s/^  \(-.,\|   \) *\(--[a-z-]*\).*/\2/p; s/^  \(--[a-z-]*\).*/\1/p'
}

echo x >'other.txt'
: >one.cps
: >'two words.cps'
mkdir empty
for shell in bash zsh; do
	command -v $shell >/dev/null || {
		note "no $shell on this machine"
		continue
	}
	for program in cpconv cpprof cpsample; do
		options=$(options_of $program)
		[ "$(echo "$options" | wc -l)" -gt 10 ] || fail "--help of $program lists no options"
		offers "$(echo "$options" | tr '\n' ' ' | sed 's/ $//')" $program --
	done
	offers --granularity cpconv --gran
	offers '--format --focus --files-from --firefox --flat --folded --follow --functions --from' cpconv --f
	offers 'function module line address' cpconv --granularity ''
	offers 'samples' cpconv --flat --unit s
	offers "$(names_of_views | tr '\n' ' ' | sed 's/ $//')" cpconv --format ''
	offers '--wrap' cpconv --dot --wr
	offers '' cpconv --flat --wr
	offers '--tsv' cpconv --format flat --ts
	offers '' cpconv --format folded --ts
	offers '' cpprof --output
	offers 'strata timer itimer perf' cpsample --clock ''
	offers 'cpu real alloc faults read write lock' cpsample -r ''
	# zsh takes what is before the comma for done.
	head=cpu,
	[ $shell = bash ] || head=
	offers "${head}read ${head}real" cpsample -r cpu,rea
	offers 'soft temperature pink gray bw print color' cpconv --colormap ''
	offers 'end peak' cpconv --at ''
	[ "$(in_$shell cpconv --flat one)" = one.cps ] || fail "$shell: $(in_$shell cpconv one)"
	in_$shell cpconv '' | grep -q 'two.* words\.cps' || fail "$shell: $(in_$shell cpconv '')"
	in_$shell cpprof '' | grep -q other.txt && fail "$shell: $(in_$shell cpprof '')"
	in_$shell cpsample --clock perf tru | grep -qx true || fail "$shell: $(in_$shell cpsample --clock perf tru)"
done
shell=bash
offers module cpconv --granularity = mo
offers 'function module line address' cpconv --granularity =
offers '' cpsample --clock = perf ./none

# A shell asks a program once.
mkdir asked
printf '#!/bin/sh\necho x >>asked/times\nexec "%s" "$@"\n' "$CPCONV" >asked/cpconv
chmod +x asked/cpconv
# shellcheck disable=SC2016 # bash is to expand it
bash -c '. "$1"; COMP_WORDS=(asked/cpconv --gran) COMP_CWORD=1
	_cpsample asked/cpconv && _cpsample asked/cpconv && [ "${COMPREPLY[*]}" = --granularity ]' bash "$scripts/cpsample.bash" ||
	fail "a program with a directory before its name is not completed"
[ "$(wc -l <asked/times)" = 1 ] || fail "a shell asked $(wc -l <asked/times) times"
