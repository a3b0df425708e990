// details.js - what is known of the box that is selected, as text that stays.

function showDetails(explorer, at) {
	const details = byId('details');

	document.querySelector('footer').hidden = !at;
	if (!at) {
		details.replaceChildren();
		return;
	}
	const { tree, k } = at;
	const { profile } = explorer;
	const fn = tree.fn[k];
	const isFunction = fn < profile.nFunctions;
	const module =
		isFunction && profile.moduleOf[fn] >= 0
			? profile.modules[profile.moduleOf[fn]]
			: '';
	details.replaceChildren(
		element('strong', {}, nameElement(isFunction ? visible(profile.names[fn]) : 'all')),
		module ? ' in ' : '',
		nameElement(visible(module)),
		element('small', {}, weightsText(explorer, at)),
	);
	details.dataset.total = tree.total[k];
	details.dataset.fn = fn;
	for (const id of ['callers', 'focus', 'hide', 'ignore']) byId(id).disabled = !isFunction;
	byId('out').disabled = !explorer.flame.zoomed;
}

const HEAVIEST_MOST = 15; // functions in the empty space below a graph
const HEAVIEST_LEAST = 4;
const HEAVIEST_ROW = 22; // pixels

// Where a graph leaves the lower part of the window empty, the functions with the most of their own stand there.
function showHeaviest(explorer) {
	const { flame, model, profile } = explorer;
	const room = flame.height - flame.rows * ROW - 3 * HEAVIEST_ROW;
	const n = Math.min(Math.floor(room / HEAVIEST_ROW), HEAVIEST_MOST);
	const table = byId('heaviest');
	const key = [n, explorer.weighed].join();

	table.style.top = flame.rows * ROW + HEAVIEST_ROW + 'px';
	table.hidden = profile.isCompared || n < HEAVIEST_LEAST;
	if (table.hidden || table.dataset.key === key) return;
	const self = model.selfOfProgram();
	const list = Array.from({ length: profile.nFunctions }, (_, f) => f)
		.filter((f) => self[f] > 0)
		.sort((a, b) => self[b] - self[a] || a - b);

	table.dataset.key = key;
	table.replaceChildren(
		element(
			'caption',
			{},
			profile.columns[model.column].isOfCalls
				? 'Heaviest functions of the program, by what their calls use'
				: 'Heaviest functions, by what they use themselves',
		),
		element(
			'tbody',
			{},
			...list.slice(0, n).map((f) => heaviestRow(explorer, f, self[f])),
		),
	);
}

function heaviestRow(explorer, f, self) {
	const { model, profile } = explorer;
	const button = element(
		'button',
		{ type: 'button', title: visible(profile.names[f]) },
		nameElement(profile.shownNames[f]),
	);

	button.addEventListener('click', () => explorer.sandwich(f));
	return element(
		'tr',
		{},
		element('td', {}, percentText(self, model.whole)),
		element('td', {}, weightText(self, model.unit)),
		element('td', { className: 'text name' }, button),
	);
}

function weightsText(explorer, { tree, k }) {
	const { model, profile, flame } = explorer;
	const t = explorer.entry(tree);
	const parts = [];

	if (profile.isCompared)
		return comparedText(model, tree.before[k], tree.total[k] - tree.before[k]);
	const text = weightText(tree.total[k], model.unit);
	parts.push(`${text}, ${percentText(tree.total[k], model.whole)} of all`);
	parts.push(...callsText(model, tree, k));
	if (flame.zoomed && t === flame.trees[0])
		parts.push(
			`${percentText(tree.total[k], tree.total[flame.zoomed])} of what is zoomed to`,
		);
	tree.open(k);
	if (tree instanceof BranchesDown && tree.own[k])
		parts.push(`${weightText(tree.own[k], model.unit)} itself`);
	else if (k && tree.own[k] && !(tree instanceof BranchesDown))
		parts.push(`${weightText(tree.own[k], model.unit)} without a caller`);
	return parts.join('; ');
}

// How often the function was called, and by the caller that the box has: below a box stands what it calls, or what calls it.
function callsText(model, tree, k) {
	const { profile } = model;
	const fn = tree.fn[k];
	const parent = k ? tree.fn[tree.parent[k]] : profile.nFunctions;
	const [callee, caller] = tree instanceof BranchesDown ? [fn, parent] : [parent, fn];
	const all = fn < profile.nFunctions ? model.callsOf(fn) : undefined;
	const some = parent < profile.nFunctions ? model.callsOf(callee, caller) : undefined;
	const isBelow = tree instanceof BranchesDown;
	const parts = [];

	if (all !== undefined)
		parts.push(
			`called ${plural(all, 'time')}` +
				(isBelow && some !== undefined
					? `, ${some.toLocaleString('en')} of them by ${profile.shownNames[caller]}`
					: ''),
		);
	if (!isBelow && some !== undefined)
		parts.push(`calls ${profile.shownNames[callee]} ${plural(some, 'time')}`);
	return parts;
}

function comparedText(model, before, after) {
	const { columns } = model.profile;
	const change = after - before;
	const of = (value) => weightText(value, model.unit);
	const share = before ? signed(((change / before) * 100).toFixed(1) + ' %', change) : 'new';

	return (
		`${of(before)} before (${percentText(before, columns[0].whole)}), ` +
		`${of(after)} after (${percentText(after, columns[1].whole)}): ` +
		`${signed(of(change), change)}, ${after ? share : 'gone'}`
	);
}
