// state.js - what is shown, as the fragment of the URL says it: so a link leads there, and Back goes back.

const DEFAULTS = {
	view: 'flame',
	column: 0,
	zoom: '0',
	fn: -1,
	search: '',
	colours: 'module',
	filters: [],
	sort: '',
	threads: '',
	from: -1,
	to: -1,
};

// Filters stand in the fragment as a letter and a function's number, or a letter, a slash and an expression.
const FILTER_LETTERS = { hide: 'h', focus: 'f', ignore: 'i' };

function filterText(f) {
	return FILTER_LETTERS[f.kind] + (f.fn >= 0 ? f.fn : '/' + f.text);
}

function readFilter(text) {
	const kind = Object.keys(FILTER_LETTERS).find((k) => FILTER_LETTERS[k] === text[0]);

	if (!kind) return null;
	if (text[1] === '/') return { kind, fn: -1, text: text.slice(2) };
	if (!/^\d+$/.test(text.slice(1))) return null;
	return { kind, fn: Number(text.slice(1)), text: '' };
}

function stateText(state) {
	const parts = new URLSearchParams();

	for (const key of Object.keys(DEFAULTS).filter((k) => k !== 'filters'))
		if (String(state[key]) !== String(DEFAULTS[key])) parts.set(key, state[key]);
	for (const f of state.filters) parts.append('filter', filterText(f));
	return parts.toString();
}

function readState(text, profile) {
	const parts = new URLSearchParams(text);
	const state = { ...DEFAULTS, filters: [] };

	for (const key of ['view', 'zoom', 'search', 'colours', 'sort'])
		if (parts.has(key)) state[key] = parts.get(key);
	state.column = Math.floor(Number(parts.get('column')));
	if (!profile.columns[state.column] || profile.isCompared) state.column = 0;
	state.fn = parts.has('fn') ? Math.floor(Number(parts.get('fn'))) : -1;
	if (!(state.fn >= 0 && state.fn < profile.nFunctions)) state.fn = -1;
	for (const f of parts.getAll('filter').map(readFilter))
		if (f && f.fn < profile.nFunctions && (f.text || f.fn >= 0)) state.filters.push(f);
	return profile.times ? readPart(parts, profile, state) : state;
}

function readPart(parts, profile, state) {
	const { slices, threads } = profile.times;
	const [from, to] = ['from', 'to'].map((key) => Math.floor(Number(parts.get(key) ?? -1)));

	state.threads = (parts.get('threads') || '')
		.split(',')
		.filter((t) => /^\d+$/.test(t) && Number(t) < threads.length)
		.join(',');
	if (from >= 0 && to > from && to <= slices) Object.assign(state, { from, to });
	return state;
}
