// sources.js - the source lines of a function, with what each of them used.

const SOURCE_FUNCTIONS = 500; // in the list of functions
const SOURCE_AROUND = 10; // lines around one that was used

// The files by path, with their lines' texts by number; and of each function the lines that were used. Null: the page has
// no text of sources.
function readSources(r, p) {
	const files = [];
	const of = new Map();

	while (r.number()) {
		const file = { path: r.text(), isNewer: r.number() > 0, text: new Map() };

		for (let line = 0, step = r.number(); step > 0; step = r.number()) {
			line += step;
			file.text.set(line, r.text());
		}
		files.push(file);
	}
	for (let file = r.number(); file > 0; file = r.number()) {
		const used = { file: files[file - 1], line: r.number() };
		const fn = r.number();

		used.weights = p.columns.map(() => ({ self: r.number(), total: r.number() }));
		if (!of.has(fn)) of.set(fn, []);
		of.get(fn).push(used);
	}
	return of.size ? of : null;
}

function listenToSource(explorer) {
	byId('source-function').addEventListener('change', () =>
		explorer.go({ fn: Number(byId('source-function').value) }),
	);
}

// The functions whose sources are there, from the heaviest on.
function sourceFunctions(explorer, column) {
	const weight = ([, lines]) =>
		lines.reduce((sum, used) => sum + used.weights[column].self, 0);

	return [...explorer.profile.sources]
		.map((entry) => [entry[0], weight(entry)])
		.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

function showSource(explorer) {
	const p = explorer.profile;
	const { column } = explorer.state;
	const list = sourceFunctions(explorer, column);
	const asked = explorer.state.fn;
	const fn = asked >= 0 ? asked : list[0][0];
	const lines = p.sources.get(fn) || [];
	const shown = list.slice(0, SOURCE_FUNCTIONS);

	if (!shown.some(([f]) => f === fn)) shown.push([fn, 0]);
	byId('source-function').replaceChildren(
		...shown.map(([f, weight]) =>
			element(
				'option',
				{ value: f, selected: f === fn },
				`${percentText(weight, p.columns[column].whole)}  ${p.shownNames[f]}`,
			),
		),
	);
	byId('source-note').textContent = lines.length
		? 'Of all stacks of the recording, whatever else is chosen on this page. Self: what was running the line; total: ' +
			'and what it called.'
		: 'The page has no source lines of this function.';
	byId('lines').replaceChildren(...sourceBodies(lines, column, p));
}

// A body of the table for each file.
function sourceBodies(lines, column, p) {
	const files = new Map();
	const head = element(
		'thead',
		{},
		element(
			'tr',
			{},
			...['self %', 'total %', 'line', 'source'].map((title, i) =>
				element(
					'th',
					{ scope: 'col', className: i === 3 ? 'text' : '' },
					title,
				),
			),
		),
	);

	for (const used of lines) {
		if (!files.has(used.file)) files.set(used.file, new Map());
		files.get(used.file).set(used.line, used.weights[column]);
	}
	return lines.length
		? [
				element('caption', {}, 'Source lines'),
				head,
				...[...files].map(([file, used]) =>
					sourceBody(file, used, column, p),
				),
			]
		: [];
}

function sourceBody(file, used, column, p) {
	const body = element('tbody');
	const { whole } = p.columns[column];
	const path = element('th', { scope: 'rowgroup', className: 'text' }, visible(file.path));
	let before = 0;

	path.colSpan = 4;
	if (file.isNewer)
		path.append(
			element(
				'p',
				{ className: 'caution' },
				'The file was changed after this was recorded: lines may be others than those that ran.',
			),
		);
	body.append(element('tr', {}, path));
	for (const line of linesAround(file, used)) {
		if (before && line > before + 1)
			body.append(element('tr', {}, element('td', { colSpan: 4 }, DOTS)));
		body.append(sourceRow(line, file.text.get(line) || '', used.get(line), whole));
		before = line;
	}
	return body;
}

// Lines that were used, and those around them whose text is there, in ascending order.
function linesAround(file, used) {
	const numbers = new Set();

	for (const line of used.keys())
		for (let i = line - SOURCE_AROUND; i <= line + SOURCE_AROUND; i++)
			if (i === line || file.text.has(i)) numbers.add(i);
	return [...numbers].sort((a, b) => a - b);
}

function sourceRow(line, text, weights, whole) {
	const cell = (value, key) => {
		const td = element('td', {}, weights ? percentText(value, whole) : '');

		td.dataset.key = key;
		if (weights) td.dataset.value = value;
		return td;
	};
	const row = element(
		'tr',
		{ className: weights ? 'used' : '' },
		cell(weights?.self, 'self'),
		cell(weights?.total, 'total'),
		element('td', { className: 'number' }, String(line)),
		element('td', { className: 'text' }, element('code', {}, visibleLine(text))),
	);

	if (weights && whole) row.style.setProperty('--heat', Math.sqrt(weights.self / whole));
	return row;
}

// Tabs stay, and set the text below each other.
function visibleLine(text) {
	return text.split('\t').map(visible).join('\t');
}
