/* SPDX-License-Identifier: MIT */
/*
 * completion_bash.c - writes a program's completion for bash.
 *
 * In: what there is to complete. Out: a function, and the command that registers it.
 */
#include "completion/completion.h"

static const char begin[] =
	"# bash completion for %s. The build has made this file from the program's options.\n"
	"_%s()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal options=''\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\t# In --option=value bash takes the = for a word of its own.\n"
	"\tif [[ $word == = ]]; then\n"
	"\t\tword=\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n";

static const char input[] =
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -d -- \"$word\"; compgen -f -X '!*.cps' -- \"$word\")\n"
	"\t[[ ${#COMPREPLY[@]} -gt 0 ]] ||\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n";

static const char loop[] = "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
			   "\t\tcase ${COMP_WORDS[i]} in\n"
			   "\t\t";

/* The first word that is neither an option nor the value of one is a program. */
static const char find_program[] = "\t\t*)\n"
				   "\t\t\tif declare -F _comp_command_offset >/dev/null; then\n"
				   "\t\t\t\t_comp_command_offset $i\n"
				   "\t\t\telif declare -F _command_offset >/dev/null; then\n"
				   "\t\t\t\t_command_offset $i\n"
				   "\t\t\telse\n"
				   "\t\t\t\tcompopt -o filenames 2>/dev/null\n"
				   "\t\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
				   "\t\t\tfi\n"
				   "\t\t\treturn ;;\n";

static const char program[] =
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\"; compgen -d -- \"$word\")\n";

/* "-o | --output" */
static void write_names(struct out *o, const struct completion_option *option)
{
	if (option->letter)
		out_format(o, "-%c%s", option->letter, option->name[0] ? " | " : "");
	if (option->name[0])
		out_format(o, "--%s", option->name);
}

/* A view is chosen by its option, or by --format. */
static void write_view(struct out *o, const struct completion *c)
{
	size_t i, n = 0;

	out_text(o, "\tlocal view='' i\n");
	out_text(o, loop);
	for (i = 0; i < c->n; i++)
		if (c->options[i].is_view)
			out_format(o, "%s--%s", n++ ? " | " : "", c->options[i].name);
	out_text(o, ") view=${COMP_WORDS[i]#--} ;;\n"
		    "\t\t--format)\n"
		    "\t\t\tview=${COMP_WORDS[i + 1]}\n"
		    "\t\t\t[[ $view != = ]] || view=${COMP_WORDS[i + 2]} ;;\n"
		    "\t\tesac\n\tdone\n");
}

static void write_program(struct out *o, const struct completion *c)
{
	size_t i, n = 0;

	out_text(o, "\tlocal i\n");
	out_text(o, loop);
	for (i = 0; i < c->n; i++) {
		if (c->options[i].value == COMPLETION_NOTHING)
			continue;
		out_text(o, n++ ? " | " : "");
		write_names(o, &c->options[i]);
	}
	out_text(o, ")\n"
		    "\t\t\t((i++))\n"
		    "\t\t\t[[ ${COMP_WORDS[i]} != = ]] || ((i++)) ;;\n"
		    "\t\t--) ;;\n"
		    "\t\t-*) ;;\n");
	out_text(o, find_program);
	out_text(o, "\t\tesac\n\tdone\n");
}

static void write_value(struct out *o, const struct completion_option *option)
{
	out_text(o, "\t");
	write_names(o, option);
	out_text(o, ")\n");
	if (option->value == COMPLETION_WORDS)
		out_format(o, "\t\tmapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\")\n",
			   option->words);
	else if (option->value != COMPLETION_ANY)
		out_format(o,
			   "\t\tcompopt -o filenames 2>/dev/null\n"
			   "\t\tmapfile -t COMPREPLY < <(compgen -%c -- \"$word\")\n",
			   option->value == COMPLETION_FILE ? 'f' : 'd');
	out_text(o, "\t\treturn ;;\n");
}

static void write_values(struct out *o, const struct completion *c)
{
	size_t i;

	out_text(o, "\tcase $before in\n");
	for (i = 0; i < c->n; i++)
		if (c->options[i].value != COMPLETION_NOTHING)
			write_value(o, &c->options[i]);
	out_text(o, "\tesac\n");
}

/* While no view is chosen, all options are offered: the view may follow them. */
static void write_option(struct out *o, const struct completion_option *option)
{
	const char *at;

	if (!option->name[0])
		return;
	out_text(o, "\t\t");
	if (option->is_view)
		out_text(o, "[[ $view ]] || ");
	if (option->views[0]) {
		out_text(o, "case $view in '' | ");
		for (at = option->views; *at; at++)
			out_format(o, *at == ' ' ? " | " : "%c", *at);
		out_format(o, ") options+=' --%s' ;; esac\n", option->name);
	} else {
		out_format(o, "options+=' --%s'\n", option->name);
	}
}

void completion_bash(struct out *o, const struct completion *c)
{
	size_t i;

	out_format(o, begin, c->program, c->program);
	if (c->takes_program)
		write_program(o, c);
	if (c->has_views)
		write_view(o, c);
	write_values(o, c);
	out_text(o, "\tif [[ $word == -* ]]; then\n");
	for (i = 0; i < c->n; i++)
		write_option(o, &c->options[i]);
	out_text(o, "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
		    "\t\treturn\n"
		    "\tfi\n");
	out_text(o, c->takes_program ? program : input);
	out_format(o, "} && complete -F _%s %s\n", c->program, c->program);
}
