// branches.js - trees of merged frames, which are made only as far as somebody looks at them.
//
// A branch stands for frames of the same function that are reached in the same way: from the outermost function
// inwards, or from a function up to its callers. It knows the profile's nodes that it stands for; its own
// branches are made when they are first asked for. So a profile of a million nodes costs what is seen of it.

class Branches {
	constructor(model) {
		this.model = model;
		this.fn = [];
		this.parent = [];
		this.depth = [];
		this.total = [];
		this.before = []; // of `total`, if two programs are compared
		this.x = []; // where it begins, in weight
		this.nodes = []; // of the profile
		this.first = []; // its branches; -1: not made yet
		this.count = [];
		this.own = []; // what is in no branch; known when these are made
		this.slot = new Int32Array(model.profile.nFunctions + 1).fill(-1);
	}

	add(fn, parent, nodes, total, before) {
		this.fn.push(fn);
		this.parent.push(parent);
		this.depth.push(parent < 0 ? 0 : this.depth[parent] + 1);
		this.nodes.push(nodes);
		this.total.push(total);
		this.before.push(before);
		this.x.push(0);
		this.first.push(-1);
		this.count.push(0);
		this.own.push(0);
		return this.fn.length - 1;
	}

	// The branches of k, from the heaviest to the lightest: first[k] and the count[k] - 1 after it.
	open(k) {
		if (this.first[k] >= 0) return this.first[k];
		const groups = this.group(k);
		let x = this.x[k];

		groups.sort((a, b) => b.total - a.total || a.fn - b.fn);
		this.first[k] = this.fn.length;
		this.count[k] = groups.length;
		for (const g of groups) {
			const i = this.add(g.fn, k, g.nodes, g.total, g.before);

			if (this.from) [this.from[i], this.to[i]] = [g.from, g.to];
			this.x[i] = x;
			x += g.total;
		}
		this.own[k] = this.total[k] - (x - this.x[k]);
		return this.first[k];
	}

	// The group of a function among those of a branch.
	groupOf(groups, fn) {
		if (this.slot[fn] < 0) {
			this.slot[fn] = groups.length;
			groups.push({ fn, nodes: null, n: 0, from: 0, to: 0, total: 0, before: 0 });
		}
		return groups[this.slot[fn]];
	}

	forget(groups) {
		for (const g of groups) this.slot[g.fn] = -1;
		return groups;
	}

	// The branch of k that has the function; -1: none.
	find(k, fn) {
		const from = this.open(k);

		for (let i = from; i < from + this.count[k]; i++) if (this.fn[i] === fn) return i;
		return -1;
	}

	// The functions from the root to k.
	path(k) {
		const list = [];

		for (; k >= 0; k = this.parent[k]) list.unshift(k);
		return list;
	}
}

// From functions inwards. The root stands for all, or for the outermost frames of a function.
class BranchesDown extends Branches {
	constructor(model, fn, nodes) {
		super(model);
		this.roots = new Set(nodes);
		const weigh = (of) => nodes.reduce((sum, i) => sum + of[i], 0);

		this.add(
			fn,
			-1,
			nodes,
			weigh(model.total),
			model.before ? weigh(model.before.total) : 0,
		);
	}

	group(k) {
		const p = this.model.profile;
		const { total, before, hidden } = this.model;
		const groups = [];
		const open = Array.from(this.nodes[k]);

		while (open.length) {
			const node = open.pop();

			for (let i = node + 1; i < p.end[node]; i = p.end[i]) {
				if (!total[i]) continue;
				if (hidden[p.fn[i]]) {
					open.push(i);
					continue;
				}
				const g = this.groupOf(groups, p.fn[i]);
				if (!g.n++) g.nodes = [];
				g.nodes.push(i);
				g.total += total[i];
				if (before) g.before += before.total[i];
			}
		}
		return this.forget(groups);
	}

	// The branch that a node of the profile belongs to.
	locate(node) {
		const p = this.model.profile;
		const path = [];
		let k = 0;

		for (let i = node; i > 0 && !this.roots.has(i); i = p.parent[i])
			if (!this.model.hidden[p.fn[i]]) path.push(p.fn[i]);
		while (path.length && k >= 0) k = this.find(k, path.pop());
		return k;
	}

	// What the URL says of a branch.
	address(k) {
		return String(this.nodes[k][0]);
	}

	at(address) {
		const node = Number(address);

		return node > 0 && node < this.model.profile.n ? this.locate(node) : 0;
	}

	height(k) {
		const p = this.model.profile;
		const { total } = this.model;
		let most = 0;

		for (const node of this.nodes[k])
			for (let i = node; i < p.end[node]; i++)
				if (p.depth[i] - p.depth[node] > most && total[i])
					most = p.depth[i] - p.depth[node];
		return most;
	}
}

// From functions to their callers. A branch has places: the nodes of the profile that its stacks have come to, the
// weights that they carry, and the nodes where they have begun. The branches of one branch share three lists of
// these, in which each has a range.
class BranchesUp extends Branches {
	constructor(model, fn, nodes, weights, before) {
		super(model);
		this.from = [0];
		this.to = [nodes.length];
		const whole = weights.reduce((sum, w) => sum + w, 0);

		this.carriesBefore = before;
		this.add(
			fn,
			-1,
			{ nodes, weights, origins: nodes },
			whole,
			before ? nodes.reduce((sum, i) => sum + before[i], 0) : 0,
		);
	}

	// All functions that use something themselves, and who has called them.
	static fromLeaves(model) {
		const { self } = model;
		const nodes = new Uint32Array(self.length);
		let n = 0;

		for (let i = 1; i < self.length; i++) if (self[i]) nodes[n++] = i;
		const list = nodes.subarray(0, n);
		const tree = new BranchesUp(
			model,
			model.profile.nFunctions,
			list,
			Float64Array.from(list, (i) => self[i]),
			model.before?.self,
		);
		tree.isFromLeaves = true;
		return tree;
	}

	// Where the places of k lead to, 0: to the beginning of the stack; and the groups of these.
	lead(k, to) {
		const p = this.model.profile;
		const hidden = this.model.hidden;
		const { nodes, weights, origins } = this.nodes[k];
		const isFirst = this.isFromLeaves && k === 0;
		const groups = [];

		for (let i = this.from[k]; i < this.to[k]; i++) {
			let node = isFirst ? nodes[i] : p.parent[nodes[i]];

			while (node && hidden[p.fn[node]]) node = p.parent[node];
			to[i - this.from[k]] = node;
			if (!node) continue;
			const g = this.groupOf(groups, p.fn[node]);
			g.n++;
			g.total += weights[i];
			if (this.carriesBefore) g.before += this.carriesBefore[origins[i]];
		}
		return groups;
	}

	group(k) {
		const { fn } = this.model.profile;
		const { weights, origins } = this.nodes[k];
		const n = this.to[k] - this.from[k];
		const to = new Uint32Array(n);
		const groups = this.lead(k, to);
		const shared = {
			nodes: new Uint32Array(n),
			weights: new Float64Array(n),
			origins: new Uint32Array(n),
		};
		let at = 0;

		for (const g of groups) {
			g.nodes = shared;
			g.from = g.to = at;
			at += g.n;
		}
		for (let i = 0; i < n; i++) {
			if (!to[i]) continue;
			const place = groups[this.slot[fn[to[i]]]].to++;

			shared.nodes[place] = to[i];
			shared.weights[place] = weights[this.from[k] + i];
			shared.origins[place] = origins[this.from[k] + i];
		}
		return this.forget(groups);
	}

	address(k) {
		return k ? this.nodes[k].origins[this.from[k]] + '.' + this.depth[k] : '0';
	}

	at(address) {
		const p = this.model.profile;
		const [origin, depth] = address.split('.').map(Number);
		let k = 0;

		if (!(origin > 0 && origin < p.n)) return 0;
		let node = this.isFromLeaves ? origin : p.parent[origin];
		for (; node && k >= 0 && this.depth[k] < depth; node = p.parent[node])
			if (!this.model.hidden[p.fn[node]]) k = this.find(k, p.fn[node]);
		return k;
	}

	height(k) {
		const { depth } = this.model.profile;
		const { nodes } = this.nodes[k];
		const own = this.isFromLeaves && k === 0 ? 0 : 1;
		let most = 0;

		for (let i = this.from[k]; i < this.to[k]; i++)
			if (depth[nodes[i]] - own > most) most = depth[nodes[i]] - own;
		return most;
	}
}
