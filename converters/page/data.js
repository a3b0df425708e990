// data.js - reads the profile that the page holds as bytes.

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.decoder = new TextDecoder();
	}

	// Fill a list with numbers. Those of more than 53 bits are rounded.
	numbers(list) {
		const bytes = this.bytes;
		let at = this.at;

		for (let i = 0; i < list.length; i++) {
			let byte = bytes[at++];
			let value = byte & 127;

			for (let scale = 128; byte > 127; scale *= 128) {
				byte = bytes[at++];
				value += (byte & 127) * scale;
			}
			list[i] = value;
		}
		this.at = at;
		return list;
	}

	number() {
		return this.numbers([0])[0];
	}

	text() {
		const n = this.number();

		this.at += n;
		return this.decoder.decode(this.bytes.subarray(this.at - n, this.at));
	}

	// A number n, and what `read` reads n times.
	list(read) {
		const list = new Array(this.number());

		for (let i = 0; i < list.length; i++) list[i] = read();
		return list;
	}
}

function decodeBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function readColumn(r) {
	return {
		resource: r.text(),
		unit: r.text(),
		whole: r.number(),
		samples: r.number(),
		isOfCalls: r.number() === 1,
	};
}

// Weights are whole numbers of these parts of the unit.
function readMeans(r, p) {
	const [parts, digits] = [r.number(), r.number()];

	for (const column of p.columns) column.unit = { name: column.unit, parts, digits };
}

function readFunctions(r, p) {
	const list = r.list(() => [r.text(), r.text(), r.number(), r.number()]);

	p.names = list.map((f) => f[0]);
	p.shownNames = list.map((f) => visible(f[1] || f[0]));
	p.moduleOf = Int32Array.from(list, (f) => f[2] - 1);
	p.originOf = Uint8Array.from(list, (f) => f[3]); // 0: of the system, 1: of a command, 2: of the program
	p.nFunctions = list.length;
	p.names.push('all');
	p.shownNames.push('all');
}

// Node 0 is the root, whose function is `all`.
function readShape(r, p) {
	const n = r.number() + 1;
	const ups = r.numbers(new Uint32Array(n - 1));
	const fns = r.numbers(new Uint32Array(n - 1));

	p.n = n;
	p.fn = new Uint32Array(n);
	p.fn[0] = p.nFunctions;
	p.fn.set(fns, 1);
	p.parent = new Uint32Array(n);
	p.depth = new Uint32Array(n);
	p.end = new Uint32Array(n);
	const open = [0];
	let depth = 0;
	for (let i = 1; i < n; i++) {
		depth += 1 - ups[i - 1] + (i === 1 ? -1 : 0);
		for (let k = open.length - 1; k > depth; k--) p.end[open.pop()] = i;
		p.parent[i] = open[depth];
		p.depth[i] = depth + 1;
		open.push(i);
	}
	while (open.length) p.end[open.pop()] = n;
	p.inlined = r.number() ? r.numbers(new Uint8Array(n - 1)) : null;
}

function readWeights(r, p, column) {
	const self = r.numbers(new Float64Array(p.n - 1));

	column.self = new Float64Array(p.n);
	column.self.set(self, 1);
	column.hits = column.self;
	if (!r.number()) return;
	column.hits = new Float64Array(p.n);
	column.hits.set(r.numbers(new Float64Array(p.n - 1)), 1);
}

// How certain changes of functions are: half of the interval of confidence, and whether they are more than chance.
function readCertainties(r, p) {
	const list = () => ({
		plusMinus: new Float64Array(p.nFunctions + 1),
		isCertain: new Uint8Array(p.nFunctions + 1),
	});
	const certain = { self: list(), total: list() };

	for (let f = r.number(); f > 0; f = r.number())
		for (const of of [certain.self, certain.total]) {
			of.plusMinus[f - 1] = r.number() / 1000;
			of.isCertain[f - 1] = r.number();
		}
	return certain;
}

// Calls that were counted: of each function, NaN if it is not known, and of each pair of functions. null: none were.
function readCalls(r, p) {
	if (!r.number()) return null;
	const of = r.numbers(new Float64Array(p.nFunctions + 1).subarray(0, p.nFunctions));
	const arcs = new Map();

	for (let i = r.number(); i > 0; i--) {
		const [caller, callee, calls] = [r.number(), r.number(), r.number()];

		arcs.set(caller * (p.nFunctions + 1) + callee, calls);
	}
	return { of: of.map((calls) => (calls ? calls - 1 : NaN)), arcs };
}

// The profile: texts, columns, and lists with a value for each function or node.
async function readProfile(base64) {
	const r = new Reader(await inflate(decodeBase64(base64)));
	const p = { caption: r.text(), facts: r.text() };

	const nColumns = r.number();
	p.isCompared = r.number() === 1;
	p.columns = [];
	for (let i = 0; i < nColumns; i++) p.columns.push(readColumn(r));
	if (p.isCompared) readMeans(r, p);
	p.modules = r.list(() => r.text());
	readFunctions(r, p);
	readShape(r, p);
	for (const column of p.columns) readWeights(r, p, column);
	p.certain = readCertainties(r, p);
	p.times = readTimes(r, p);
	p.sources = readSources(r, p);
	p.calls = readCalls(r, p);
	return p;
}
