# SPDX-License-Identifier: MIT
# Draw a call graph as if cycles were not split: each function of a cycle has the time of the whole
# cycle, and so none of them can be left out before all are.
#
# cpconv --graph --node-thres 0 --edge-thres 0 --tsv | awk -f unsplit.awk -v percent=5 | dot -Tsvg
BEGIN {
	FS = "\t"
	if (!percent) percent = 5
}

function quoted(name) {
	gsub(/["\\]/, "\\\\&", name)
	return "\"" name "\""
}

$1 == "func" {
	total[$5] = $2
	cycle[$5] = $4
	if ($4 != "-" && $2 > largest[$4]) largest[$4] = $2
}

$1 == "edge" {
	edges++
	caller[edges] = $5
	callee[edges] = $6
}

END {
	print "digraph {"
	print "\tnode [shape=box];"
	for (name in total) {
		if (cycle[name] != "-") total[name] = largest[cycle[name]]
		if (total[name] * 100 < percent) continue
		kept[name] = 1
		printf "\t%s [label=\"%.2f%%\"];\n", quoted(name), total[name] * 100
	}
	for (i = 1; i <= edges; i++)
		if (caller[i] in kept && callee[i] in kept)
			printf "\t%s -> %s;\n", quoted(caller[i]), quoted(callee[i])
	print "}"
}
