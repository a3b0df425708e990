// input.js - what keys, clicks and fingers do.

const KEYS = [
	['arrows', 'to the caller, a callee, the box beside it'],
	['Enter, click', 'zoom to the box'],
	['Backspace, Escape', 'zoom out by a step; 0: to all'],
	['click with the right button', 'select a box without zooming'],
	['/', 'search; there Enter: the heaviest match, then the next; arrow down: to the box'],
	['n, N', 'the next match, the one before'],
	['o', 'only stacks that match'],
	['c', 'callers and callees of the function'],
	['s', 'source lines of the function, if the page has them'],
	['f, x', 'only stacks with it; only those without it'],
	['h', 'hide it: its callees become those of its caller'],
	['u', 'undo; the browser’s Back does it, too'],
	['d', 'dark or light'],
	['?', 'these keys'],
];

function listenToCanvas(explorer) {
	const { flame } = explorer;
	const canvas = byId('canvas');
	const hit = (event) => {
		const box = canvas.getBoundingClientRect();

		return flame.hit(event.clientX - box.left, event.clientY - box.top);
	};

	canvas.addEventListener('mousemove', (event) => {
		const at = hit(event);

		canvas.style.cursor = at ? 'pointer' : 'default';
		explorer.pointed = at;
		byId('details').setAttribute('aria-live', 'off');
		showDetails(explorer, at || flame.selected);
	});
	canvas.addEventListener('mouseleave', () => {
		explorer.pointed = null;
		showDetails(explorer, flame.selected);
	});
	canvas.addEventListener('click', (event) => {
		const at = hit(event);

		canvas.focus({ preventScroll: true });
		if (!at) return;
		explorer.select(at);
		explorer.zoom(at);
	});
	canvas.addEventListener('contextmenu', (event) => {
		const at = hit(event);

		if (!at) return;
		event.preventDefault();
		explorer.select(at);
	});
	listenToActions(explorer);
}

function listenToActions(explorer) {
	for (const id of ['zoom', 'callers', 'focus', 'hide', 'ignore', 'to-source', 'out'])
		byId(id).addEventListener('click', () => act(explorer, id));
}

function act(explorer, action) {
	const at = explorer.pointed || explorer.flame.selected; // what the details are of
	const fn = at ? at.tree.fn[at.k] : explorer.profile.nFunctions;

	if (action === 'out') explorer.zoomOut();
	if (!at || (fn === explorer.profile.nFunctions && action !== 'zoom')) return;
	if (action === 'zoom') explorer.zoom(at);
	else if (action === 'callers') explorer.sandwich(fn);
	else if (action === 'to-source') explorer.go({ view: 'source', fn, zoom: '0' });
	else if (action !== 'out') explorer.filter(action, fn);
}

// Where an arrow key leads from a branch.
function neighbour(explorer, key) {
	const { flame } = explorer;
	const at = flame.selected || { tree: flame.trees[0].tree, k: flame.zoomed };
	const { tree, k } = at;
	const t = explorer.entry(tree);
	const parent = tree.parent[k];
	const inwards = t.up ? 'ArrowUp' : 'ArrowDown';

	if (key === inwards) {
		const first = tree.open(k);
		return tree.count[k] ? { tree, k: first } : at;
	}
	if (key === 'ArrowUp' || key === 'ArrowDown') {
		const other = flame.trees.find((o) => o !== t);
		if (parent >= 0) return { tree, k: parent };
		if (!other) return at;
		const first = other.tree.open(0);
		return other.tree.count[0] ? { tree: other.tree, k: first } : at;
	}
	const next = k + (key === 'ArrowRight' ? 1 : -1);
	const isSibling =
		parent >= 0 &&
		next >= tree.first[parent] &&
		next < tree.first[parent] + tree.count[parent];
	return isSibling ? { tree, k: next } : at;
}

function moveSelection(explorer, key) {
	const at = neighbour(explorer, key);
	const t = explorer.entry(at.tree);

	explorer.select(at);
	explorer.flame.reveal(t, at.k);
}

const LETTERS = {
	'/': () => byId('search').select(),
	n: (e) => goToMatch(e, 1),
	N: (e) => goToMatch(e, -1),
	o: onlyMatches,
	c: (e) => act(e, 'callers'),
	f: (e) => act(e, 'focus'),
	x: (e) => act(e, 'ignore'),
	h: (e) => act(e, 'hide'),
	u: (e) => e.undo(),
	d: (e) => e.setTheme(!e.isDark),
	0: (e) => e.go({ zoom: '0' }),
	'?': showKeys,
};

function onKey(explorer, event) {
	const isText = event.target.matches('input, select, textarea');

	if (event.ctrlKey || event.metaKey || event.altKey || isText || byId('keys').open) return;
	const view = explorer.views.find((v) => v.key === event.key);
	const isOnCanvas = event.target === byId('canvas');
	const isOnButton = event.target.matches('button');
	if (
		view?.name === 'source' &&
		isOnCanvas &&
		explorer.flame.selected &&
		!byId('graph').hidden
	)
		act(explorer, 'to-source');
	else if (view) explorer.goToView(view.name);
	else if (LETTERS[event.key]) LETTERS[event.key](explorer);
	else if (isOnCanvas && event.key.startsWith('Arrow')) moveSelection(explorer, event.key);
	else if (isOnCanvas && event.key === 'Enter') act(explorer, 'zoom');
	else if (!isOnButton && (event.key === 'Escape' || event.key === 'Backspace'))
		explorer.zoomOut();
	else return;
	event.preventDefault();
}

function showKeys(explorer) {
	const list = element('dl', {});
	const close = element('button', { type: 'button' }, 'close');

	const views = explorer.views.map((v) => [v.key, v.title]);

	for (const [key, text] of [...KEYS, ...views])
		list.append(element('dt', {}, key), element('dd', {}, text));
	close.addEventListener('click', () => byId('keys').close());
	byId('keys').replaceChildren(list, close);
	byId('keys').showModal();
}

function listenToKeys(explorer) {
	document.addEventListener('keydown', (event) => onKey(explorer, event));
	byId('help').addEventListener('click', () => showKeys(explorer));
}
