// search.js - functions by regular expression: their share, each stack counted once, and the way from match to match.

const LONGEST = 1000; // characters of an expression

// Whether an expression repeats a group that has a repetition or a choice in it. That may take for ever on a long name, and
// nothing can stop it: the page may start no worker.
function repeatsTwice(text) {
	const tokens = text.match(/\\.|\[(?:\\.|[^\]\\])*\]|\{\d+,\d*\}|[^]/g) || [];
	const isRepetition = (token) => /^(?:[+*]|\{\d+,\d*\})$/.test(token || '');
	const groups = [false]; // of each open one, whether it has such a thing in it

	for (let i = 0; i < tokens.length; i++) {
		const last = groups.length - 1;

		if (tokens[i] === '(') groups.push(false);
		else if (isRepetition(tokens[i]) || tokens[i] === '|') groups[last] = true;
		else if (tokens[i] === ')' && last) {
			const has = groups.pop();

			if (has && isRepetition(tokens[i + 1])) return true;
			groups[last - 1] ||= has;
		}
	}
	return false;
}

function tryMatch(profile, text) {
	if (text.length > LONGEST) return { marks: null, error: 'the expression is too long' };
	if (repeatsTwice(text))
		return { marks: null, error: 'a repetition in a repetition may take for ever' };
	try {
		return { marks: matchNames(profile, text), error: '' };
	} catch (error) {
		return { marks: null, error: String(error.message).replace(/^.*: /, '') };
	}
}

function searchFor(explorer, text) {
	const { model, profile } = explorer;
	const { marks, error } = text ? tryMatch(profile, text) : { marks: null, error: '' };
	if (marks) model.hidden.forEach((isHidden, f) => (marks[f] &= !isHidden));
	const found = marks ? model.matching(marks) : { nodes: [], weight: 0 };

	explorer.marks = marks;
	explorer.isSorted = false;
	explorer.matches = found.nodes;
	explorer.textMatch = marks && new RegExp(text, text === text.toLowerCase() ? 'iu' : 'u');
	byId('search').setAttribute('aria-invalid', error !== '');
	byId('matched').textContent = error || (marks ? matchedText(explorer, found) : '');
	byId('matched').dataset.value = found.weight;
}

function matchedText({ model, profile, marks }, found) {
	const n = marks.reduce((sum, mark) => sum + mark, 0);

	if (!n) return 'no function';
	if (profile.isCompared) return plural(n, 'function');
	return `${percentText(found.weight, model.whole)} in ${plural(n, 'function')}`;
}

// ---- places: where the matches of a view are, and the way from one to the next -----------------------

// The places of the view that is shown: branches of a graph, from the heaviest on, rows of threads, or elements.
function placesOf(explorer) {
	const { section } = VIEWS.find((v) => v.name === explorer.state.view);

	if (!explorer.marks) return [];
	if (section === 'graph') return branchesThatMatch(explorer);
	if (section === 'timeline') return explorer.timeline.lanesThatMatch();
	return elementsThatMatch(explorer, section);
}

// From the heaviest on; not before somebody goes to one, because there may be a million.
function sortMatches(explorer) {
	const { total } = explorer.model;

	if (!explorer.isSorted) explorer.matches.sort((a, b) => total[b] - total[a] || a - b);
	explorer.isSorted = true;
}

// Nodes of the profile, or branches where these are others than nodes: {tree, k}, from the heaviest on.
function branchesThatMatch(explorer) {
	const { state, matches, marks, model, flame } = explorer;

	if (state.view !== 'flame')
		return flame.trees
			.flatMap(({ tree }, i) => markedBranches(marks, tree, i === 0))
			.sort((a, b) => b.tree.total[b.k] - a.tree.total[a.k]);
	// Where functions are hidden several nodes may be one box.
	if (!model.filters.some((f) => f.kind === 'hide')) return matches;
	sortMatches(explorer);
	const { tree } = flame.trees[0];
	const found = new Set(matches.map((node) => tree.locate(node)));
	return [...found].filter((k) => k >= 0).map((k) => ({ tree, k }));
}

const OPENED_MOST = 20000; // branches of a tree that are looked into for matches
const OPENED_LEAST = 1 / 5000; // of the whole: those that are looked into

// The branches of a tree whose functions are marked, level by level; the root stands in two trees of a view, and counts in
// one. As branches are made when they are looked into, those that nobody sees are not.
function markedBranches(marks, tree, hasRoot) {
	const list = hasRoot && marks[tree.fn[0]] ? [{ tree, k: 0 }] : [];
	const open = [0];

	for (let i = 0; i < open.length && i < OPENED_MOST; i++) {
		const from = tree.open(open[i]);

		for (let k = from; k < from + tree.count[open[i]]; k++) {
			if (marks[tree.fn[k]]) list.push({ tree, k });
			if (tree.total[k] >= tree.total[0] * OPENED_LEAST) open.push(k);
		}
	}
	return list;
}

const TEXTS = {
	functions: '#table tbody tr',
	paths: '#path-list span',
	calls: '#calls g[data-fn]',
	changes: '#changes tbody tr',
	source: '#lines code',
	facts: '#facts pre span',
};

// What has functions matches if one of these does; other lines match by their text.
function elementsThatMatch({ marks, textMatch }, section) {
	const matches = (e) =>
		e.fns ? e.fns.some((fn) => marks[fn]) : textMatch.test(e.textContent);

	return [...document.querySelectorAll(TEXTS[section])].filter(matches);
}

// Find the places of what is shown now. Zooming does not forget which one was gone to.
function findPlaces(explorer) {
	const { view, fn } = explorer.state;
	const key = [view, fn, explorer.searched].join('\n');

	explorer.places = placesOf(explorer);
	if (explorer.placesKey !== key || explorer.places[0]?.classList) explorer.match = -1;
	explorer.placesKey = key;
	for (const e of document.querySelectorAll('.found, .at')) e.classList.remove('found', 'at');
	for (const e of explorer.places) if (e.classList) e.classList.add('found');
	for (const id of ['previous', 'next']) byId(id).disabled = !explorer.places.length;
	byId('only').disabled = !explorer.matches.length;
	showPlace(explorer);
}

function showPlace({ match, places }) {
	byId('place').textContent =
		match < 0
			? ''
			: `${(match + 1).toLocaleString('en')} of ${places.length.toLocaleString('en')}`;
}

// Go to the next place, without another zoom as far as it lies in what is shown.
function goToMatch(explorer, step) {
	const n = explorer.places.length;

	if (!n) return;
	sortMatches(explorer);
	const match = explorer.match < 0 && step < 0 ? n - 1 : (explorer.match + step + n) % n;
	const place = explorer.places[match];

	if (place.classList) goToElement(place);
	else if (explorer.state.view === 'timeline') explorer.timeline.goTo(place);
	else goToBranch(explorer, place);
	explorer.match = match;
	showPlace(explorer);
}

function goToElement(place) {
	for (const e of document.querySelectorAll('.at')) e.classList.remove('at');
	place.classList.add('at');
	place.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function goToBranch(explorer, place) {
	const { flame } = explorer;
	const tree = place.tree || flame.trees[0].tree;
	const k = place.tree ? place.k : tree.locate(place);

	if (k < 0) return;
	if (tree === flame.trees[0].tree && !isInside(tree, k, flame.zoomed))
		explorer.go({ zoom: '0' });
	explorer.select({ tree, k });
	flame.reveal(explorer.entry(tree), k);
	flame.redraw();
}

function isInside(tree, k, root) {
	while (k > root) k = tree.parent[k];
	return k === root;
}

// ---- the strip above a graph: where the matches are in its width -----------------------------------

const STRIP = 6; // pixels: its height
const PLACE_LEAST = 3; // pixels: the width of a place

// The nodes that match, and all that these lie in.
function nodesAround(explorer) {
	const { parent } = explorer.profile;

	if (explorer.around?.of === explorer.matches) return explorer.around.has;
	const has = new Uint8Array(explorer.profile.n);

	for (let node of explorer.matches)
		for (; !has[node]; node = parent[node]) {
			has[node] = 1;
			if (!node) break;
		}
	explorer.around = { of: explorer.matches, has };
	return has;
}

// [x, width] of each place, as far as they can be told apart.
function stripPlaces(explorer) {
	const { flame, marks, state } = explorer;
	const t = flame.trees[0];
	const { tree } = t;
	const list = [];

	if (!marks || !tree.total[flame.zoomed]) return list;
	if (state.view !== 'flame')
		return explorer.places
			.filter(
				(place) =>
					place.k > 0 &&
					explorer.entry(place.tree) &&
					(place.tree !== tree ||
						isInside(tree, place.k, flame.zoomed)),
			)
			.map((place) => flame.span(explorer.entry(place.tree), place.k));
	const has = nodesAround(explorer);
	const open = [flame.zoomed];

	while (open.length) {
		const k = open.pop();
		const span = flame.span(t, k);

		if (!tree.nodes[k].some((node) => has[node])) continue;
		if (marks[tree.fn[k]] || span[1] < 1) {
			list.push(span);
			continue;
		}
		const from = tree.open(k);
		for (let i = from; i < from + tree.count[k]; i++) open.push(i);
	}
	return list;
}

function drawStrip(explorer) {
	const { flame } = explorer;
	const strip = byId('strip');
	const ratio = devicePixelRatio || 1;
	const c = strip.getContext('2d');
	const bar = ([x, width], colour) => {
		const w = Math.max(width, PLACE_LEAST);

		c.fillStyle = colour;
		c.fillRect(
			Math.max(0, Math.min(x, flame.width - w)),
			0,
			Math.min(w, flame.width),
			STRIP,
		);
	};

	strip.width = Math.round(flame.width * ratio);
	strip.height = STRIP * ratio;
	strip.style.width = flame.width + 'px';
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	for (const place of stripPlaces(explorer)) bar(place, flame.mark);
	const { selected } = flame;
	if (explorer.match >= 0 && selected)
		bar([flame.span(explorer.entry(selected.tree), selected.k)[0], 0], flame.ink);
}

function listenToSearch(explorer) {
	const input = byId('search');
	let timer = 0;
	let isTyping = false; // what is typed is one step back, however slowly

	input.addEventListener('blur', () => (isTyping = false));
	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			explorer.go({ search: input.value }, isTyping);
			isTyping = true;
		}, 120);
	});
	input.addEventListener('keydown', (event) => {
		if (event.key === 'Enter') {
			clearTimeout(timer);
			explorer.go({ search: input.value }, isTyping);
			isTyping = false;
			goToMatch(explorer, event.shiftKey ? -1 : 1);
		} else if (event.key === 'ArrowDown' && !byId('graph').hidden) {
			byId('canvas').focus({ preventScroll: true });
		} else if (event.key === 'Escape') {
			input.value = '';
			explorer.go({ search: '' });
			byId('canvas').focus();
		} else {
			return;
		}
		event.preventDefault();
	});
	byId('previous').addEventListener('click', () => goToMatch(explorer, -1));
	byId('next').addEventListener('click', () => goToMatch(explorer, 1));
	byId('only').addEventListener('click', () => onlyMatches(explorer));
}

function onlyMatches(explorer) {
	const { search } = explorer.state;

	if (explorer.marks) explorer.filter('focus', -1, search);
}
