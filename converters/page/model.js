// model.js - the weights of all nodes, as far as the filters leave them.

class Model {
	constructor(profile) {
		this.profile = profile;
		this.column = 0;
		this.filters = [];
		this.hidden = new Uint8Array(profile.nFunctions + 1);
		this.weigh(0, [], null);
	}

	// Choose a column, filters, which are {kind: 'hide' | 'focus' | 'ignore', marks}, marks by function, and the part
	// of threads and times, or null.
	weigh(column, filters, part) {
		const p = this.profile;

		this.column = column;
		this.filters = filters;
		this.isOfPart = part !== null;
		this.unit = p.columns[column].unit;
		this.hidden.fill(0);
		for (const f of filters)
			if (f.kind === 'hide')
				f.marks.forEach((mark, i) => (this.hidden[i] |= mark));
		const kept = this.keep();
		this.functionTable = null;
		this.matches = null;
		if (p.isCompared) {
			this.before = this.sum(p.columns[0].self, kept);
			this.after = this.sum(p.columns[1].self, kept);
			this.self = add(this.before.self, this.after.self);
			this.total = add(this.before.total, this.after.total);
			this.whole = p.columns[0].whole + p.columns[1].whole;
			return;
		}
		const own = part ? partSelf(p, column, part) : p.columns[column].self;
		const sums = this.sum(own, kept);
		this.samples = part ? null : samplesOf(p.columns[column], kept);
		this.self = sums.self;
		this.total = sums.total;
		this.whole = part
			? own.reduce((sum, weight) => sum + weight, 0)
			: p.columns[column].whole;
	}

	// The calls that were counted are those of all: null if only a part is shown.
	calls() {
		return this.filters.length || this.isOfPart ? null : this.profile.calls;
	}

	// How often the function was called, and by that one; undefined: not known.
	callsOf(fn, caller) {
		const calls = this.calls();

		if (caller === undefined)
			return calls && calls.of[fn] >= 0 ? calls.of[fn] : undefined;
		return calls?.arcs.get(caller * (this.profile.nFunctions + 1) + fn);
	}

	// Which nodes' stacks the filters keep; null: all.
	keep() {
		const p = this.profile;
		const focus = this.filters.filter((f) => f.kind === 'focus');
		const ignore = this.filters.filter((f) => f.kind === 'ignore');

		if (!focus.length && !ignore.length) return null;
		const all = 2 ** focus.length - 1;
		const seen = new Uint32Array(p.n);
		const dropped = new Uint8Array(p.n);
		const kept = new Uint8Array(p.n);
		for (let i = 1; i < p.n; i++) {
			const fn = p.fn[i];

			seen[i] = seen[p.parent[i]];
			dropped[i] = dropped[p.parent[i]];
			for (let k = 0; k < focus.length; k++)
				if (focus[k].marks[fn]) seen[i] |= 1 << k;
			for (const f of ignore) dropped[i] |= f.marks[fn];
			kept[i] = seen[i] === all && !dropped[i] ? 1 : 0;
		}
		return kept;
	}

	sum(from, kept) {
		const p = this.profile;
		const self = kept ? from.map((weight, i) => (kept[i] ? weight : 0)) : from;
		const total = Float64Array.from(self);

		for (let i = p.n - 1; i > 0; i--) total[p.parent[i]] += total[i];
		return { self, total };
	}

	// The self and total of each function. A stack counts once for a function, also if that recurs.
	functions() {
		this.functionTable ||= this.profile.isCompared
			? {
					before: this.sumFunctions(this.before),
					after: this.sumFunctions(this.after),
				}
			: this.sumFunctions(this);
		return this.functionTable;
	}

	// What a hidden function was running itself is its caller's.
	sumFunctions(weights) {
		const p = this.profile;
		const { hidden } = this;
		const self = new Float64Array(p.nFunctions + 1);
		const total = new Float64Array(p.nFunctions + 1);
		const active = new Uint32Array(p.nFunctions + 1);
		const path = [];
		const owners = [p.nFunctions]; // of the functions in the path, after the root

		for (let i = 1; i < p.n; i++) {
			const fn = p.fn[i];

			while (path.length >= p.depth[i]) {
				active[path.pop()]--;
				owners.pop();
			}
			const owner = hidden[fn] ? owners[owners.length - 1] : fn;

			self[owner] += weights.self[i];
			if (active[fn]++ === 0 && !hidden[fn]) total[fn] += weights.total[i];
			path.push(fn);
			owners.push(owner);
		}
		return {
			self,
			total,
			samples: weights.samples ? this.ownedBy(weights.samples) : null,
		};
	}

	// What functions used themselves; or if calls count it, what they called for: a stack is that of the innermost
	// function of the last origin that it has, as in --flat.
	selfOfProgram() {
		const p = this.profile;

		if (p.isCompared || !p.columns[this.column].isOfCalls) {
			const table = this.functions();

			return (table.after || table).self;
		}
		const self = new Float64Array(p.nFunctions + 1);
		const owners = new Uint32Array(p.n).fill(p.nFunctions);
		const originOf = (fn) => p.originOf[fn] ?? -1;

		for (let i = 1; i < p.n; i++) {
			const above = owners[p.parent[i]];
			const isOwn =
				!this.hidden[p.fn[i]] &&
				originOf(p.fn[i]) >= (above < p.nFunctions ? originOf(above) : -1);

			owners[i] = isOwn ? p.fn[i] : above;
			self[owners[i]] += this.self[i];
		}
		return self;
	}

	// The sums of a list by function; what a hidden one has is its caller's.
	ownedBy(list) {
		const p = this.profile;
		const sums = new Float64Array(p.nFunctions + 1);
		const owners = new Uint32Array(p.n).fill(p.nFunctions);

		for (let i = 1; i < p.n; i++) {
			owners[i] = this.hidden[p.fn[i]] ? owners[p.parent[i]] : p.fn[i];
			sums[owners[i]] += list[i];
		}
		return sums;
	}

	// The outermost nodes that a function has in stacks, and its weight.
	outermost(wanted) {
		const p = this.profile;
		const nodes = [];

		for (let i = 1; i < p.n;)
			if (p.fn[i] === wanted) {
				if (this.total[i]) nodes.push(i);
				i = p.end[i];
			} else {
				i++;
			}
		return Uint32Array.from(nodes);
	}

	// What is in stacks with a function that is marked, and all nodes of such functions.
	matching(marks) {
		const p = this.profile;
		const nodes = [];
		let weight = 0;
		let counted = 0; // up to there

		for (let i = 1; i < p.n; i++) {
			if (!marks[p.fn[i]]) continue;
			if (this.total[i] > 0) nodes.push(i);
			if (i < counted) continue;
			weight += this.total[i];
			counted = p.end[i];
		}
		return { nodes, weight };
	}
}

// The samples by node of those that are kept; null: there are no others than the weights.
function samplesOf(column, kept) {
	if (column.hits === column.self) return null;
	return kept ? column.hits.map((n, i) => (kept[i] ? n : 0)) : column.hits;
}

function add(a, b) {
	return a.map((value, i) => value + b[i]);
}

// The functions whose names match, as marks by function. Capitals count only if the expression has some.
function matchNames(profile, text) {
	const expression = new RegExp(text, text === text.toLowerCase() ? 'iu' : 'u');
	const marks = new Uint8Array(profile.nFunctions + 1);

	for (let i = 0; i < profile.nFunctions; i++)
		marks[i] = expression.test(profile.names[i]) ? 1 : 0;
	return marks;
}
