// calls.js - the call graph of the heaviest functions: which ones, where they stand, and how they are drawn.

const CALLS_FUNCTIONS = 32;
const CALLS_LEAST = 0.005; // of the whole: functions and calls that are shown
const BOX = { width: 190, height: 40, across: 26, down: 46, gap: 10 };
const SWEEPS = 12; // over the rows, down and up

// The weights of calls of one function by another, directly or through functions that are not shown; each stack counts
// once for a call.
function weighCalls(model, isShown) {
	const p = model.profile;
	const calls = new Map();
	const path = [];
	const callers = [{ fn: p.nFunctions, isPast: false }]; // that are shown; whether others lie between

	for (let i = 1; i < p.n; i++) {
		while (path.length >= p.depth[i]) {
			const call = path.pop();
			if (call) call.active--;
			callers.pop();
		}
		const callee = p.fn[i];
		const { fn: caller, isPast } = callers[callers.length - 1];
		let call = null;
		if (isShown[caller] && isShown[callee] && caller !== callee) {
			const key = caller * (p.nFunctions + 1) + callee;
			call = calls.get(key);
			if (!call) {
				call = { caller, callee, weight: 0, active: 0, isPast: true };
				calls.set(key, call);
			}
			if (!isPast) call.isPast = false;
			if (call.active++ === 0) call.weight += model.total[i];
		}
		path.push(call);
		callers.push(
			isShown[callee]
				? { fn: callee, isPast: false }
				: { fn: caller, isPast: isPast || !model.hidden[callee] },
		);
	}
	return [...calls.values()].sort(
		(a, b) => b.weight - a.weight || a.caller - b.caller || a.callee - b.callee,
	);
}

// The functions and calls that are shown. Each function keeps the heaviest call to it, so that none stands alone.
function chooseCalls(model) {
	const p = model.profile;
	const { total } = p.isCompared
		? { total: add(model.functions().before.total, model.functions().after.total) }
		: model.functions();
	const isShown = new Uint8Array(p.nFunctions + 1);
	const functions = Array.from(total.subarray(0, p.nFunctions), (_, i) => i)
		.filter(
			(f) =>
				total[f] > 0 &&
				total[f] >= model.whole * CALLS_LEAST &&
				!model.hidden[f],
		)
		.sort((a, b) => total[b] - total[a] || a - b)
		.slice(0, CALLS_FUNCTIONS);

	for (const f of functions) isShown[f] = 1;
	const called = new Set();
	const calls = weighCalls(model, isShown).filter((c) => {
		const isFirst = !called.has(c.callee);

		called.add(c.callee);
		return isFirst || c.weight >= model.whole * CALLS_LEAST;
	});
	return { functions, calls, total };
}

// Which calls lead back to a caller, as somebody finds them who follows the heaviest calls first, from the outermost
// functions on.
function findBackCalls({ functions, calls }) {
	const from = new Map(functions.map((f) => [f, []]));
	const state = new Map(); // 1: on the way, 2: done
	const called = new Set(calls.map((c) => c.callee));
	const visit = (f) => {
		state.set(f, 1);
		for (const c of from.get(f)) {
			c.isBack = state.get(c.callee) === 1;
			if (!state.has(c.callee)) visit(c.callee);
		}
		state.set(f, 2);
	};

	for (const c of calls) from.get(c.caller).push(c);
	for (const f of [...functions.filter((f) => !called.has(f)), ...functions])
		if (!state.has(f)) visit(f);
}

// The rows of the picture. A function stands below its callers; calls that lead back up are left out of account.
function rankFunctions({ functions, calls }) {
	const rank = new Map(functions.map((f) => [f, 0]));

	for (let changed = true; changed;) {
		changed = false;
		for (const c of calls)
			if (!c.isBack && rank.get(c.callee) <= rank.get(c.caller)) {
				rank.set(c.callee, rank.get(c.caller) + 1);
				changed = true;
			}
	}
	return rank;
}

// What stands in the rows: boxes of functions, and gaps through which longer calls lead past the boxes.
function makeRows(chosen) {
	const rank = rankFunctions(chosen);
	const rows = [];
	const items = new Map();
	const add = (row, width) => {
		const item = { row, width, x: 0, links: [] };

		(rows[row] ||= []).push(item);
		return item;
	};

	for (const f of chosen.functions) items.set(f, add(rank.get(f), BOX.width));
	for (const c of chosen.calls) {
		const [upper, lower] = c.isBack ? [c.callee, c.caller] : [c.caller, c.callee];

		c.way = [items.get(upper)];
		for (let row = rank.get(upper) + 1; row < rank.get(lower); row++)
			c.way.push(add(row, BOX.gap));
		c.way.push(items.get(lower));
		for (let i = 1; i < c.way.length; i++) {
			c.way[i - 1].links.push({ to: c.way[i], weight: c.weight });
			c.way[i].links.push({ to: c.way[i - 1], weight: c.weight });
		}
	}
	return { rows, items };
}

// Put what stands in a row beside each other, as near to where it wants to be as there is room for.
function spreadRow(row) {
	let right = -Infinity;
	let shift = 0;

	for (const item of row) {
		item.x = Math.max(item.wanted, right + item.width / 2);
		right = item.x + item.width / 2 + BOX.across;
		shift += item.x - item.wanted;
	}
	for (const item of row) item.x -= shift / row.length;
}

function wantedPlace(item, isNear) {
	let sum = 0;
	let weight = 0;

	for (const link of item.links.filter((l) => isNear(l.to))) {
		sum += link.to.x * link.weight;
		weight += link.weight;
	}
	return weight ? sum / weight : item.x;
}

// Where all stands: near the middle of what it is connected with in the row above, and then in the one below.
function placeFunctions(chosen) {
	findBackCalls(chosen);
	const { rows, items } = makeRows(chosen);

	for (const row of rows) {
		row.forEach((item, i) => (item.wanted = i * (item.width + BOX.across)));
		spreadRow(row);
	}
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		const isDown = sweep % 2 === 0;

		for (const row of isDown ? rows : [...rows].reverse()) {
			const isNear = (other) =>
				isDown ? other.row < row[0].row : other.row > row[0].row;

			for (const item of row) item.wanted = wantedPlace(item, isNear);
			row.sort((a, b) => a.wanted - b.wanted);
			spreadRow(row);
		}
	}
	const all = rows.flat();
	const left = Math.min(0, ...all.map((item) => item.x - item.width / 2)) - BOX.across / 2;
	for (const item of all) item.x -= left;
	const width = Math.max(0, ...all.map((item) => item.x + item.width / 2)) + BOX.across / 2;
	return { rows, items, width };
}

// ---- drawing ---------------------------------------------------------------------------------------

function rowTop(item) {
	return item.row * (BOX.height + BOX.down) + BOX.down / 2;
}

function drawCalls(explorer, chosen) {
	const { rows, items, width } = placeFunctions(chosen);
	const height = rows.length * (BOX.height + BOX.down) + BOX.down / 2;
	const svg = svgElement('svg', {
		xmlns: SVG,
		width: rounded(width),
		height,
		viewBox: `0 0 ${rounded(width)} ${height}`,
		'font-family': 'system-ui, sans-serif',
		'font-size': '12px',
		role: 'group',
		'aria-label': 'Call graph of the heaviest functions',
	});

	for (const c of [...chosen.calls].reverse()) svg.append(drawCall(explorer, c));
	for (const f of chosen.functions) {
		const item = items.get(f);

		svg.append(drawFunction(explorer, f, item.x, rowTop(item), chosen.total[f]));
	}
	return svg;
}

// From row to row, and straight down beside the boxes of those between.
function wayOf(way, isBack) {
	const [first, last] = [way[0], way[way.length - 1]];
	let d = `M${rounded(first.x)} ${rowTop(first) + BOX.height + (isBack ? 8 : 0)}`;

	for (let i = 1; i < way.length; i++) {
		const from = rowTop(way[i - 1]) + BOX.height;
		const to = rowTop(way[i]) - (way[i] === last && !isBack ? 5 : 0);
		const bend = (to - from) / 2;

		d += ` C${rounded(way[i - 1].x)} ${from + bend} ${rounded(way[i].x)} ${to - bend} ${rounded(way[i].x)} ${to}`;
		if (way[i] !== last) d += ` V${to + BOX.height}`;
	}
	return d;
}

function drawCall(explorer, call) {
	const { model, profile } = explorer;
	const share = call.weight / model.whole;
	const end = call.isBack ? call.way[0] : call.way[call.way.length - 1];
	const [x, y] = [rounded(end.x), rowTop(end) + (call.isBack ? BOX.height : 0)];
	const away = call.isBack ? 8 : -8;
	const line = svgElement('path', {
		d: wayOf(call.way, call.isBack),
		fill: 'none',
		stroke: explorer.isDark ? '#9aa0aa' : '#6b7280',
		'stroke-width': rounded(1 + share * 7),
		'stroke-dasharray': call.isBack ? '5 4' : call.isPast ? '2 3' : 'none',
	});
	const head = svgElement('path', {
		d: `M${rounded(x - 5)} ${y + away} L${rounded(x + 5)} ${y + away} L${x} ${y} Z`,
		fill: explorer.isDark ? '#9aa0aa' : '#6b7280',
	});
	const how = call.isPast ? 'calls, through others,' : 'calls';
	const names = `${profile.shownNames[call.caller]} ${how} ${profile.shownNames[call.callee]}`;
	const calls = call.isPast ? undefined : model.callsOf(call.callee, call.caller);
	const often = calls === undefined ? '' : `, ${plural(calls, 'call')}`;
	const title = svgElement(
		'title',
		{},
		`${names}: ${weightText(call.weight, model.unit)}, ${percentText(call.weight, model.whole)}${often}`,
	);

	return svgElement('g', {}, line, head, title);
}

function drawFunction(explorer, f, x, y, total) {
	const { model, profile, flame, colours, isDark } = explorer;
	const ink = isDark ? '#eee' : '#111';
	const table = model.functions();
	const colour = profile.isCompared
		? colours.ofChange(table.before.total[f], table.after.total[f])
		: colours.of(f);
	const second = profile.isCompared
		? signed(
				weightText(
					table.after.total[f] - table.before.total[f],
					model.unit,
				),
				table.after.total[f] - table.before.total[f],
			)
		: `${percentText(total, model.whole)}, self ${percentText(table.self[f], model.whole)}`;
	const calls = model.callsOf(f);
	const often = calls === undefined ? '' : `, called ${plural(calls, 'time')}`;
	const box = svgElement('rect', {
		x: rounded(x - BOX.width / 2),
		y,
		width: BOX.width,
		height: BOX.height,
		rx: 4,
		fill: colour,
		stroke: isDark ? '#454a54' : '#8b919b',
	});
	const text = (row, what) =>
		svgElement(
			'text',
			{ x: rounded(x), y: y + row, 'text-anchor': 'middle', fill: ink },
			what,
		);
	const group = svgElement(
		'g',
		{
			tabindex: 0,
			role: 'button',
			'data-fn': f,
			'data-total': total,
			cursor: 'pointer',
		},
		box,
		text(16, flame.cut(profile.shownNames[f], BOX.width - 10)),
		text(32, second),
		svgElement('title', {}, visible(profile.names[f]) + often),
	);

	group.fns = [f];
	group.addEventListener('click', () => explorer.sandwich(f));
	group.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' || event.key === ' ') explorer.sandwich(f);
	});
	return group;
}

function showCalls(explorer) {
	const chosen = chooseCalls(explorer.model);

	byId('calls').replaceChildren(
		element(
			'p',
			{ className: 'note' },
			`The ${plural(chosen.functions.length, 'heaviest function')} and ${plural(chosen.calls.length, 'call')} with ` +
				`${CALLS_LEAST * 100} % or more; dashed: back to a caller; dotted: through functions that are not shown. ` +
				'A function leads to its callers and callees.',
		),
		drawCalls(explorer, chosen),
	);
	// On a narrow screen the heaviest function is seen first.
	const first = byId('calls').querySelector(`[data-fn="${chosen.functions[0]}"]`);
	first?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
