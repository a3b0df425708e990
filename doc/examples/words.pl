#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Find the most frequent words, and pairs of words, in the files whose names are read from standard input.
use strict;
use warnings;

my (%words, %pairs);
while (my $file = <STDIN>) {
	chomp $file;
	open my $in, '<', $file or next;
	my $before = '';
	while (<$in>) {
		s{/\*.*?\*/|//.*}{}g;
		for my $word (/[A-Za-z_]\w+/g) {
			$words{lc $word}++;
			$pairs{"$before $word"}++;
			$before = $word;
		}
	}
}
sub show {
	my ($count, $n) = @_;
	my @names = sort { $count->{$b} <=> $count->{$a} || $a cmp $b } keys %$count;
	printf "%8d  %s\n", $count->{$_}, $_ for @names[0 .. $n - 1];
}
show(\%words, 3);
show(\%pairs, 3);
