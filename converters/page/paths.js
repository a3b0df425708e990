// paths.js - the heaviest call paths, as text to be read and copied.

const PATHS_LEAST = 0.005; // of the whole: a path that is shown
const PATHS_MOST = 400;
const SAME = 0.995; // of its caller's total: the callee stands on the same line
const LEVELS_MOST = 5; // that are indented on a phone
const CYCLE_MOST = 4; // functions that call each other in turn, and are written once

function pathLines(model, tree) {
	const open = [0];
	const lines = [];
	const whole = tree.total[0];

	while (open.length && lines.length < PATHS_MOST) {
		const [k, indent] = [].concat(open.pop());
		const chain = [];
		let last = k;

		for (let next = k; next >= 0; next = only(tree, last)) {
			chain.push(tree.fn[next]);
			last = next;
		}
		lines.push({ k, indent: indent || 0, chain });
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

// How often the n functions from i on follow one another.
function repeats(chain, i, n) {
	let times = 1;
	const isAgain = (from) => {
		for (let k = 0; k < n; k++) if (chain[from + k] !== chain[i + k]) return false;
		return from + n <= chain.length;
	};

	while (isAgain(i + times * n)) times++;
	return times;
}

// Recursion is written once: f (x3), and of functions that call each other (f › g) (x3).
function chainText(profile, chain) {
	const parts = [];

	for (let i = 0; i < chain.length;) {
		let [n, times] = [1, 1];

		for (let most = CYCLE_MOST; most > 0; most--) {
			const found = repeats(chain, i, most);

			if (found > 1 && found * most >= n * times) [n, times] = [most, found];
		}
		const names = chain.slice(i, i + n).map((fn) => profile.shownNames[fn]);
		const text = names.join(' › ');
		parts.push(times === 1 ? text : `${n > 1 ? `(${text})` : text} (x${times})`);
		i += n * times;
	}
	return parts.join(' › ');
}

function showPaths(explorer) {
	const { model, profile } = explorer;
	const { tree } = explorer.treesOf('flame')[0];
	const list = pathLines(model, tree).map(({ k, indent, chain }) => {
		const weight = profile.isCompared
			? comparedText(model, tree.before[k], tree.total[k] - tree.before[k])
			: `${percentText(tree.total[k], model.whole).padStart(9)} ${weightText(tree.total[k], model.unit).padStart(11)}`;

		return { weight, chain, indent, text: chainText(profile, chain) };
	});
	const width = list.reduce((most, line) => Math.max(most, line.weight.length), 0);

	byId('path-list').replaceChildren(
		...list.map(({ weight, chain, indent, text }) => {
			const names = element('b', {}, `${text}\n`);
			const line = element(
				'span',
				{ className: `level-${Math.min(indent, LEVELS_MOST)}` },
				element('i', {}, `${weight.padEnd(width)}  ${'  '.repeat(indent)}`),
				names,
			);

			if (indent > LEVELS_MOST) names.dataset.level = `[${indent}] `;
			line.fns = chain;
			return line;
		}),
	);
	byId('path-note').textContent =
		`Paths below ${PATHS_LEAST * 100} % are left out. What follows › has all of what is before it; ` +
		'(x3): three calls, one within the other.';
}
