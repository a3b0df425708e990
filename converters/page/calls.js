// calls.js - the call graph of the heaviest functions: which ones, where they stand, and how they are drawn.

const CALLS_FUNCTIONS = 32;
const CALLS_LEAST = 0.005; // of the whole: functions and calls that are shown
const BOX = { width: 190, height: 40, across: 26, down: 46 };

// The weights of calls of one function by another; each stack counts once for a call.
function weighCalls(model, isShown) {
	const p = model.profile;
	const calls = new Map();
	const path = [];
	const callers = [p.nFunctions]; // that are not hidden

	for (let i = 1; i < p.n; i++) {
		while (path.length >= p.depth[i]) {
			const call = path.pop();
			if (call) call.active--;
			callers.pop();
		}
		const callee = p.fn[i];
		const caller = callers[callers.length - 1];
		let call = null;
		if (isShown[caller] && isShown[callee] && caller !== callee) {
			const key = caller * (p.nFunctions + 1) + callee;
			call = calls.get(key);
			if (!call)
				calls.set(key, (call = { caller, callee, weight: 0, active: 0 }));
			if (call.active++ === 0) call.weight += model.total[i];
		}
		path.push(call);
		callers.push(model.hidden[callee] ? caller : callee);
	}
	return [...calls.values()].sort((a, b) => b.weight - a.weight);
}

// The functions and calls that are shown.
function chooseCalls(model) {
	const p = model.profile;
	const { total } = p.isCompared
		? { total: add(model.functions().before.total, model.functions().after.total) }
		: model.functions();
	const isShown = new Uint8Array(p.nFunctions + 1);
	const functions = Array.from(total.subarray(0, p.nFunctions), (_, i) => i)
		.filter((f) => total[f] >= model.whole * CALLS_LEAST && !model.hidden[f])
		.sort((a, b) => total[b] - total[a] || a - b)
		.slice(0, CALLS_FUNCTIONS);

	for (const f of functions) isShown[f] = 1;
	const calls = weighCalls(model, isShown).filter(
		(c) => c.weight >= model.whole * CALLS_LEAST,
	);
	return { functions, calls, total };
}

// The rows of the picture. A function stands below its callers; calls that lead back up are left out of account.
function rankFunctions({ functions, calls }) {
	const rank = new Map(functions.map((f) => [f, 0]));
	const below = new Map(functions.map((f) => [f, []]));
	const reaches = (from, to) => {
		const open = [from];
		const seen = new Set(open);

		while (open.length)
			for (const f of below.get(open.pop())) {
				if (f === to) return true;
				if (!seen.has(f)) open.push(f);
				seen.add(f);
			}
		return false;
	};

	// From the heaviest call on, so that those which lead back are light ones.
	for (const c of calls) {
		c.isBack = c.caller === c.callee || reaches(c.callee, c.caller);
		if (!c.isBack) below.get(c.caller).push(c.callee);
	}
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

// Where the functions stand: in each row near the middle of those that they are connected with.
function placeFunctions(chosen) {
	const rank = rankFunctions(chosen);
	const rows = [];

	for (const f of chosen.functions) (rows[rank.get(f)] ||= []).push(f);
	const widest = Math.max(1, ...rows.map((row) => row.length));
	const place = new Map();
	const spread = (row) =>
		row.forEach((f, i) => place.set(f, ((i + 0.5) * widest) / row.length));
	rows.forEach(spread);
	for (let sweep = 0; sweep < 8; sweep++)
		for (const row of sweep % 2 ? [...rows].reverse() : rows) {
			const wanted = new Map(row.map((f) => [f, middle(chosen.calls, place, f)]));

			row.sort((a, b) => wanted.get(a) - wanted.get(b));
			spread(row);
		}
	return { rows, place, rank, widest };
}

function middle(calls, place, f) {
	let sum = 0;
	let weight = 0;

	for (const c of calls) {
		const other = c.caller === f ? c.callee : c.callee === f ? c.caller : -1;

		if (other < 0) continue;
		sum += place.get(other) * c.weight;
		weight += c.weight;
	}
	return weight ? sum / weight : place.get(f);
}

// ---- drawing ---------------------------------------------------------------------------------------

function drawCalls(explorer, chosen) {
	const { rows, place, rank, widest } = placeFunctions(chosen);
	const width = widest * (BOX.width + BOX.across) + BOX.across;
	const height = rows.length * (BOX.height + BOX.down) + BOX.down;
	const svg = svgElement('svg', {
		xmlns: SVG,
		width,
		height,
		viewBox: `0 0 ${width} ${height}`,
		'font-family': 'system-ui, sans-serif',
		'font-size': '12px',
		role: 'group',
		'aria-label': 'Call graph of the heaviest functions',
	});
	const x = (f) => place.get(f) * (BOX.width + BOX.across) + BOX.across / 2;
	const y = (f) => rank.get(f) * (BOX.height + BOX.down) + BOX.down / 2;

	for (const c of [...chosen.calls].reverse()) svg.append(drawCall(explorer, c, x, y));
	for (const f of chosen.functions)
		svg.append(drawFunction(explorer, f, x(f), y(f), chosen.total[f]));
	return svg;
}

function drawCall(explorer, call, x, y) {
	const { model, profile } = explorer;
	const share = call.weight / model.whole;
	const [fromX, toX] = [x(call.caller), x(call.callee)];
	const [fromY, toY] = [y(call.caller) + BOX.height, y(call.callee)];
	const bend = call.isBack ? BOX.down * 1.5 : Math.max((toY - fromY) / 2, 10);
	const line = svgElement('path', {
		d: `M${fromX} ${fromY} C${fromX} ${fromY + bend} ${toX} ${toY - bend} ${toX} ${toY - 5}`,
		fill: 'none',
		stroke: explorer.isDark ? '#9aa0aa' : '#6b7280',
		'stroke-width': rounded(1 + share * 7),
		'stroke-dasharray': call.isBack ? '5 4' : 'none',
	});
	const head = svgElement('path', {
		d: `M${toX - 5} ${toY - 8} L${toX + 5} ${toY - 8} L${toX} ${toY} Z`,
		fill: explorer.isDark ? '#9aa0aa' : '#6b7280',
	});
	const names = `${profile.shownNames[call.caller]} calls ${profile.shownNames[call.callee]}`;
	const title = svgElement(
		'title',
		{},
		`${names}: ${weightText(call.weight, model.unit)}, ${percentText(call.weight, model.whole)}`,
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
		svgElement('title', {}, visible(profile.names[f])),
	);

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
				`${CALLS_LEAST * 100} % or more; dashed: back to a caller. A function leads to its callers and callees.`,
		),
		drawCalls(explorer, chosen),
	);
	// On a narrow screen the heaviest function is seen first.
	const first = byId('calls').querySelector(`[data-fn="${chosen.functions[0]}"]`);
	first?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
