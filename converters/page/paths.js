// paths.js - the heaviest call paths, as text to be read and copied.

const PATHS_LEAST = 0.005; // of the whole: a path that is shown
const PATHS_MOST = 400;
const SAME = 0.995; // of its caller's total: the callee stands on the same line

function pathLines(model, tree) {
	const open = [0];
	const lines = [];
	const whole = tree.total[0];

	while (open.length && lines.length < PATHS_MOST) {
		const [k, indent] = [].concat(open.pop());
		const chain = [];
		let last = k;

		for (let next = k; next >= 0; next = only(tree, last)) {
			chain.push(model.profile.shownNames[tree.fn[next]]);
			last = next;
		}
		lines.push({ k, indent: indent || 0, text: chain.join(' › ') });
		const from = tree.open(last);
		for (let i = from + tree.count[last] - 1; i >= from; i--)
			if (tree.total[i] >= whole * PATHS_LEAST) open.push([i, (indent || 0) + 1]);
	}
	return lines;
}

// The one callee that has all of it; -1: there is none.
function only(tree, k) {
	const first = tree.open(k);

	return tree.count[k] && tree.total[first] >= tree.total[k] * SAME ? first : -1;
}

function showPaths(explorer) {
	const { model } = explorer;
	const { tree } = explorer.treesOf('flame')[0];
	const list = pathLines(model, tree).map(({ k, indent, text }) => {
		const weight = explorer.profile.isCompared
			? comparedText(model, tree.before[k], tree.total[k] - tree.before[k])
			: `${percentText(tree.total[k], model.whole).padStart(9)} ${weightText(tree.total[k], model.unit).padStart(11)}`;

		return { weight, text: '  '.repeat(indent) + text };
	});
	const width = list.reduce((most, line) => Math.max(most, line.weight.length), 0);

	byId('path-list').textContent = list
		.map(({ weight, text }) => `${weight.padEnd(width)}  ${text}\n`)
		.join('');
	byId('path-note').textContent =
		`Paths below ${PATHS_LEAST * 100} % are left out. What follows › has all of what is before it.`;
}
