# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completes cpconv, cpprof and cpsample in bash: options, their values, files and programs, as --help=all lists them.
# Installed once under each of the three names, by which bash looks for it.

# What --help=all of a program said: each is asked once per shell.
declare -gA _cpsample_help

# Sets lines: what --help=all of program $1 says, with what has been broken into several lines joined.
_cpsample_read()
{
	local line
	if [[ ! ${_cpsample_help[$1]-} ]]; then
		_cpsample_help[$1]=$("${1/#\~/$HOME}" --help=all 2>/dev/null </dev/null)
	fi
	lines=()
	while IFS= read -r line; do
		if [[ $line =~ ^\ {12,}(.*)$ && ${#lines[@]} -gt 0 ]]; then
			lines[-1]+=" ${BASH_REMATCH[1]}"
		else
			lines+=("$line")
		fi
	done <<<"${_cpsample_help[$1]}"
}

# An option's line $1, such as "-c, --clock C  what ticks: timer, perf", into options, takes and words. Its values
# are the words that the line ends with, if there are several.
_cpsample_take_option()
{
	local form='^ +(-[a-zA-Z])?,? *(--[a-z-]+)?( [A-Z][^ ]*)? +(.*)$' name item found='' kind=''
	local -a items
	[[ $1 =~ $form ]] || return
	local long=${BASH_REMATCH[2]} label=${BASH_REMATCH[3]# } help=${BASH_REMATCH[4]}
	local names="${BASH_REMATCH[1]} $long"
	options+=" $long"
	[[ ! $help =~ \(also\ (-[a-zA-Z]) ]] || names+=" ${BASH_REMATCH[1]}"
	if [[ $section == Views: ]]; then
		views+=" ${long#--}"
		[[ $label ]] || formats+=" ${long#--}"
	fi
	[[ $label ]] || return
	IFS=, read -ra items <<<"${help##*: }"
	for item in "${items[@]}"; do
		[[ ! $item =~ ^\ *([a-z][a-z-]*)(\ \(.*)?$ ]] || found+=" ${BASH_REMATCH[1]}"
	done
	[[ $found == ' '*' '* ]] || found=''
	case $label in
	FILE | LIST | TEMPLATE) kind='file' ;;
	DIR) kind='directory' ;;
	*,...) kind='list' ;;
	*) kind='one' ;;
	esac
	for name in $names; do
		takes[$name]=$kind words[$name]=$found
	done
}

# Sets what there is to complete for program $1.
_cpsample_take()
{
	local line name
	local -a lines
	_cpsample_read "$1"
	for line in "${lines[@]}"; do
		case $line in
		[Uu]sage:*' PROGRAM'*) runs_program=1 ;;
		[!\ ]*:) section=$line ;;
		'  --'*': '*)
			if [[ $section != 'Obeyed by'* ]]; then
				_cpsample_take_option "$line"
				continue
			fi
			line=${line//,/}
			for name in ${line%%:*}; do
				of[$name]=" ${line#*: } "
			done ;;
		' '*) _cpsample_take_option "$line" ;;
		esac
	done
	words[--format]=$formats
}

# Offers files, or what else compgen knows, whose names may have blanks.
_cpsample_names()
{
	compopt -o filenames 2>/dev/null
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$@" -- "$word")
}

# Offers words $1; before the word there may be others, with commas, if $2 says so.
_cpsample_words()
{
	local head=
	[[ $2 != list || $word != *,* ]] || head=${word%,*},
	mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${word#"$head"}")
}

# The first word that is neither an option nor the value of one is a program, with a completion of its own.
_cpsample_program()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) ;;
		-*)
			[[ ${takes[${COMP_WORDS[i]}]-} ]] || continue
			((i++))
			[[ ${COMP_WORDS[i]} != = ]] || ((i++)) ;;
		*)
			if declare -F _comp_command_offset >/dev/null; then
				_comp_command_offset "$i"
			elif declare -F _command_offset >/dev/null; then
				_command_offset "$i"
			else
				_cpsample_names -f
			fi
			return 0 ;;
		esac
	done
	return 1
}

# Sets view: the one that is chosen, by its option or by --format.
_cpsample_view()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--format)
			view=${COMP_WORDS[i + 1]}
			[[ $view != = ]] || view=${COMP_WORDS[i + 2]} ;;
		--*) [[ " $views " != *" ${COMP_WORDS[i]#--} "* ]] || view=${COMP_WORDS[i]#--} ;;
		esac
	done
}

# The options that the chosen view obeys; all while there is none, since it may follow them.
_cpsample_obeyed()
{
	local option obeyed=''
	for option in $options; do
		[[ $view && " $views " == *" ${option#--} "* ]] && continue
		[[ $view && ${of[$option]-} && ${of[$option]} != *" $view "* ]] && continue
		obeyed+=" $option"
	done
	_cpsample_words "$obeyed" one
}

_cpsample()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local section='' options='' views='' formats='' view='' runs_program=''
	local -A takes=() words=() of=()

	COMPREPLY=()
	# In --option=value bash takes the = for a word of its own.
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	_cpsample_take "$1"
	[[ $runs_program ]] && _cpsample_program && return
	_cpsample_view
	case ${takes[$before]-} in
	file) _cpsample_names -f ;;
	directory) _cpsample_names -d ;;
	?*) _cpsample_words "${words[$before]}" "${takes[$before]}" ;;
	'')
		if [[ $word == -* ]]; then
			_cpsample_obeyed
		elif [[ $runs_program ]]; then
			_cpsample_names -c
			_cpsample_names -d
		else
			_cpsample_names -d
			_cpsample_names -f -X '!*.cps'
			[[ ${#COMPREPLY[@]} -gt 0 ]] || _cpsample_names -f
		fi ;;
	esac
}

complete -F _cpsample cpconv cpprof cpsample
