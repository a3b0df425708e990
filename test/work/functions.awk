# SPDX-License-Identifier: MIT
# C for a compiler to work on: awk -v functions=350 -f functions.awk
BEGIN {
	print "struct node { struct node *next; int key; double weight; char name[24]; };"
	for (i = 0; i < functions; i++) {
		printf "static int look_%d(struct node *n, int key)\n{\n", i
		print "\tint found = 0;\n\tfor (; n; n = n->next) {\n\t\tswitch ((n->key ^ key) % 9) {"
		for (c = 0; c < 9; c++)
			printf "\t\tcase %d: found += n->name[%d] * %d + (int)(n->weight / %d); break;\n",
				c, (i + c) % 24, i * 7 + c, c + 2
		print "\t\t}\n\t\tif (found > key) key -= found >> 3; else key += n->name[key & 15];\n\t}"
		if (i) printf "\treturn found + look_%d(n, key - %d);\n}\n", i - 1, i
		else print "\treturn found;\n}"
		printf "double sum_%d(struct node *n, int key)\n{\n\tdouble s = look_%d(n, key);\n", i, i
		printf "\twhile (n) { s += n->weight * %d; n = n->next; }\n\treturn s;\n}\n", i + 1
	}
}
