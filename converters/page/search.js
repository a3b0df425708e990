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

	found.nodes.sort((a, b) => model.total[b] - model.total[a] || a - b);
	explorer.marks = marks;
	explorer.matches = found.nodes;
	explorer.match = -1;
	byId('search').setAttribute('aria-invalid', error !== '');
	byId('matched').textContent = error || (marks ? matchedText(explorer, found) : '');
	byId('matched').dataset.value = found.weight;
	for (const id of ['previous', 'next', 'only']) byId(id).disabled = !found.nodes.length;
}

function matchedText({ model, profile, marks }, found) {
	const n = marks.reduce((sum, mark) => sum + mark, 0);

	if (!n) return 'no function';
	if (profile.isCompared) return plural(n, 'function');
	return `${percentText(found.weight, model.whole)} in ${plural(n, 'function')}`;
}

// Select the next match, from the heaviest on, in the graph that is shown.
function goToMatch(explorer, step) {
	const { flame, matches, state } = explorer;
	const view = VIEWS.find((v) => v.name === state.view);

	if (!matches.length || view.section !== 'graph') return;
	const t = flame.trees[0];
	const list = state.view === 'flame' ? matches : matchesBesideRoot(explorer, t.tree);
	const n = list.length;
	if (!n) return;
	explorer.match = (explorer.match + step + n) % n;
	const found = list[explorer.match];
	const k = state.view === 'flame' ? t.tree.locate(found) : found;
	if (k < 0) return;
	if (!isInside(t.tree, k, flame.zoomed)) flame.show(flame.trees, 0);
	if (t.tree.total[k] * (flame.width / t.tree.total[flame.zoomed]) < TEXT_LEAST)
		explorer.go({ zoom: t.tree.address(t.tree.parent[k] > 0 ? t.tree.parent[k] : k) });
	explorer.select({ tree: t.tree, k });
	flame.reveal(t, k);
}

function isInside(tree, k, root) {
	while (k > root) k = tree.parent[k];
	return k === root;
}

// Of a graph from the leaf the branches beside the root are the functions.
function matchesBesideRoot({ marks }, tree) {
	const from = tree.open(0);
	const list = [];

	for (let k = from; k < from + tree.count[0]; k++) if (marks[tree.fn[k]]) list.push(k);
	return list;
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
			if (!byId('graph').hidden && explorer.matches.length)
				byId('canvas').focus();
			goToMatch(explorer, event.shiftKey ? -1 : 1);
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
