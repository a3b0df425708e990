// timeline.js - when each thread used how much; a part of the time and some threads can be chosen there.

const LANE = 40; // pixels of a thread's row
const LANES_MOST = 100;
const LABEL = 150; // pixels left of the bars

function readTimes(r, p) {
	const duration = r.number();

	if (!duration) return null;
	const times = { duration, slices: r.number() };
	times.threads = r.list(() => ({
		name: visible(r.text()),
		program: visible(r.text()),
		pid: r.number(),
		tid: r.number(),
	}));
	times.marks = r.list(() => ({ at: r.number(), name: visible(r.text()) }));
	for (const column of p.columns) column.parts = readParts(r);
	return times;
}

// Lists with the thread, slice, node and weight of each part.
function readParts(r) {
	const n = r.number();
	const thread = r.numbers(new Uint32Array(n));
	const slice = r.numbers(new Uint32Array(n));
	const node = r.numbers(new Uint32Array(n));
	const weight = r.numbers(new Float64Array(n));

	for (let i = 1; i < n; i++) {
		const isNewThread = thread[i] > 0;

		thread[i] += thread[i - 1];
		if (isNewThread) continue;
		const isNewSlice = slice[i] > 0;
		slice[i] += slice[i - 1];
		if (!isNewSlice) node[i] += node[i - 1];
	}
	return { n, thread, slice, node, weight };
}

// The self of all nodes in the threads and slices that are chosen: threads is null or a Set.
function partSelf(profile, column, { threads, from, to }) {
	const { n, thread, slice, node, weight } = profile.columns[column].parts;
	const self = new Float64Array(profile.n);

	for (let i = 0; i < n; i++)
		if (slice[i] >= from && slice[i] < to && (!threads || threads.has(thread[i])))
			self[node[i]] += weight[i];
	return self;
}

// A sample stands for the time before it: what a slice has beyond its length was used in those before.
function spread(list, length) {
	let left = 0;

	for (let s = list.length - 1; s >= 0; s--) {
		left += list[s];
		list[s] = Math.min(left, length);
		left -= list[s];
	}
}

class Timeline {
	constructor(explorer) {
		this.explorer = explorer;
		this.canvas = byId('lanes');
		this.context = this.canvas.getContext('2d');
		this.drag = null; // where it began, in slices
		new ResizeObserver(() => this.draw()).observe(byId('timeline'));
		this.listen();
	}

	// The weights by thread and slice, of the nodes that the filters leave.
	weigh() {
		const { profile, model, state } = this.explorer;
		const { n, thread, slice, node, weight } = profile.columns[state.column].parts;
		const { slices, threads } = profile.times;
		const kept = model.keep();

		this.weights = threads.map(() => new Float64Array(slices));
		this.sums = new Float64Array(threads.length);
		for (let i = 0; i < n; i++) {
			if (kept && !kept[node[i]]) continue;
			this.weights[thread[i]][slice[i]] += weight[i];
			this.sums[thread[i]] += weight[i];
		}
		this.matched = this.weighMatches(kept);
		this.order = threads
			.map((_, i) => i)
			.filter((i) => this.sums[i] > 0)
			.sort((a, b) => this.sums[b] - this.sums[a] || a - b);
		this.shown = this.order.slice(0, LANES_MOST);
		const isTime = profile.columns[state.column].unit === 'ns';
		const length = profile.times.duration / slices;
		if (isTime) this.weights.forEach((list) => spread(list, length));
		this.full = isTime
			? length
			: Math.max(1, ...this.shown.map((i) => Math.max(...this.weights[i])));
	}

	// What each thread and slice has in stacks with a function that matches; null: nothing is searched for.
	weighMatches(kept) {
		const { profile, marks, state } = this.explorer;
		const { n, thread, slice, node, weight } = profile.columns[state.column].parts;
		const { slices, threads } = profile.times;

		if (!marks) return null;
		const has = new Uint8Array(profile.n);
		for (let i = 1; i < profile.n; i++)
			has[i] = has[profile.parent[i]] | marks[profile.fn[i]];
		const list = threads.map(() => new Float64Array(slices));
		for (let i = 0; i < n; i++)
			if (has[node[i]] && (!kept || kept[node[i]]))
				list[thread[i]][slice[i]] += weight[i];
		return list;
	}

	// The rows of threads that have some of what is searched for.
	lanesThatMatch() {
		return [...this.shown.keys()].filter((row) =>
			this.matched[this.shown[row]].some((weight) => weight > 0),
		);
	}

	goTo(row) {
		this.at = row;
		byId('timeline').scrollTop =
			this.canvas.offsetTop + row * LANE - byId('timeline').clientHeight / 2;
		this.draw();
	}

	show() {
		this.at = -1;
		const { profile, state } = this.explorer;
		const { times } = profile;

		this.weigh();
		byId('thread').replaceChildren(
			element('option', { value: '' }, 'all'),
			...this.processes(),
			...this.order.map((i) => element('option', { value: i }, this.label(i))),
		);
		byId('thread').value = state.threads;
		byId('from').value = state.from < 0 ? '' : this.bound(state.from);
		byId('to').value = state.to < 0 ? '' : this.bound(state.to);
		const left = this.order.length - this.shown.length;
		byId('timeline-note').textContent =
			`A row is as high as ${profile.columns[state.column].unit === 'ns' ? 'one thread at work' : 'the heaviest moment'}; ` +
			`each bar stands for ${weightText(times.duration / times.slices, 'ns')}. ` +
			'Draw over a time to keep it alone, click a row to keep its thread.' +
			(left > 0 ? ` ${plural(left, 'lighter thread')} not shown.` : '');
		this.draw();
	}

	// Of several processes each can be chosen as a whole.
	processes() {
		const { threads } = this.explorer.profile.times;
		const ofProcess = new Map();

		for (const i of this.order) {
			const { pid } = threads[i];

			if (!ofProcess.has(pid)) ofProcess.set(pid, []);
			ofProcess.get(pid).push(i);
		}
		if (ofProcess.size < 2) return [];
		return [...ofProcess].map(([pid, list]) =>
			element(
				'option',
				{ value: list.join(',') },
				`process ${threads[list[0]].program} ${pid}`,
			),
		);
	}

	label(i) {
		const { name, pid, tid } = this.explorer.profile.times.threads[i];

		return `${name} ${tid || pid}`;
	}

	seconds(slice) {
		const { duration, slices } = this.explorer.profile.times;

		return (duration / 1e9) * (slice / slices);
	}

	// When a slice begins, as --from and --to take it: samples have times in microseconds.
	bound(slice) {
		const { duration, slices } = this.explorer.profile.times;

		return (Math.ceil(((duration + 1) * slice) / slices / 1e3) / 1e6).toFixed(6);
	}

	slice(seconds) {
		const { duration, slices } = this.explorer.profile.times;

		return Math.min(
			Math.max(Math.round((seconds * 1e9 * slices) / duration), 0),
			slices,
		);
	}

	// ---- drawing ---------------------------------------------------------------------------------

	draw() {
		if (byId('timeline').hidden || !this.weights) return;
		const ratio = devicePixelRatio || 1;
		const c = this.context;

		this.width = byId('timeline').clientWidth - 20;
		this.labelWidth = Math.min(LABEL, this.width / 3);
		this.height = (this.shown.length + 1) * LANE;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = this.width + 'px';
		this.canvas.style.height = this.height + 'px';
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.explorer.flame.style();
		c.font = this.explorer.flame.context.font;
		c.textBaseline = 'middle';
		this.shown.forEach((i, row) => this.drawLane(i, row));
		this.drawAxis();
		this.drawChoice();
	}

	x(slice) {
		return (
			this.labelWidth +
			((this.width - this.labelWidth) * slice) /
				this.explorer.profile.times.slices
		);
	}

	drawLane(i, row) {
		const { flame, state, profile, isDark } = this.explorer;
		const c = this.context;
		const bottom = (row + 1) * LANE - 4;
		const isChosen = !state.threads || state.threads.split(',').includes(String(i));

		c.globalAlpha = isChosen ? 1 : 0.35;
		c.fillStyle = flame.ink;
		c.fillText(flame.cut(this.label(i), this.labelWidth - 8), 0, bottom - LANE / 2 + 2);
		c.fillStyle = isDark ? '#6ea8fe' : '#2f6fc4';
		for (let s = 0; s < profile.times.slices; s++) {
			const height = Math.min(this.weights[i][s] / this.full, 1) * (LANE - 8);

			if (height)
				c.fillRect(
					this.x(s),
					bottom - height,
					this.x(1) - this.x(0) + 0.3,
					height,
				);
		}
		if (this.matched) this.drawMatches(this.matched[i], bottom);
		if (row === this.at) {
			c.strokeStyle = flame.ink;
			c.lineWidth = 2;
			c.strokeRect(
				this.labelWidth,
				bottom - LANE + 5,
				this.width - this.labelWidth - 1,
				LANE - 6,
			);
		}
		c.globalAlpha = 1;
		c.fillStyle = flame.dim;
		c.fillRect(this.labelWidth, bottom, this.width - this.labelWidth, 1);
	}

	// Where matches are, below the bars; at least so wide that they are seen.
	drawMatches(weights, bottom) {
		const c = this.context;

		c.fillStyle = this.explorer.flame.mark;
		weights.forEach((weight, s) => {
			if (weight)
				c.fillRect(
					this.x(s),
					bottom,
					Math.max(this.x(1) - this.x(0), PLACE_LEAST),
					3,
				);
		});
	}

	drawAxis() {
		const { times } = this.explorer.profile;
		const c = this.context;
		const y = this.shown.length * LANE + 12;

		c.fillStyle = this.explorer.flame.ink;
		for (let i = 0; i < 4; i++) {
			const slice = (times.slices * i) / 4;

			c.fillRect(this.x(slice), y - 12, 1, 6);
			c.fillText(this.seconds(slice).toFixed(3) + ' s', this.x(slice) + 3, y);
		}
		c.fillStyle = this.explorer.flame.mark;
		for (const mark of times.marks) {
			const x = this.x((mark.at / times.duration) * times.slices);

			c.fillRect(x, 0, 1, y - 6);
			c.fillText(
				this.explorer.flame.cut(mark.name, this.width - x - 6),
				x + 3,
				y + 15,
			);
		}
	}

	// What is not in the time that is chosen is covered.
	drawChoice() {
		const { from, to } = this.drag ? this.dragged() : this.explorer.state;
		const c = this.context;

		if (from < 0 || to < 0) return;
		c.globalAlpha = 0.55;
		c.fillStyle = this.explorer.flame.dim;
		c.fillRect(
			this.labelWidth,
			0,
			this.x(from) - this.labelWidth,
			this.shown.length * LANE,
		);
		c.fillRect(this.x(to), 0, this.width - this.x(to), this.shown.length * LANE);
		c.globalAlpha = 1;
	}

	// ---- choosing --------------------------------------------------------------------------------

	dragged() {
		const from = Math.min(this.drag.from, this.drag.to);

		return { from, to: Math.max(this.drag.from, this.drag.to, from + 1) };
	}

	sliceAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const { slices } = this.explorer.profile.times;
		const share =
			(event.clientX - box.left - this.labelWidth) /
			(this.width - this.labelWidth);

		return Math.min(Math.max(Math.round(share * slices), 0), slices);
	}

	listen() {
		this.canvas.addEventListener('pointerdown', (event) => {
			const at = this.sliceAt(event);

			this.drag = { x: event.clientX, from: at, to: at };
			this.canvas.setPointerCapture(event.pointerId);
		});
		this.canvas.addEventListener('pointermove', (event) => {
			if (!this.drag) return;
			this.drag.to = this.sliceAt(event);
			this.draw();
		});
		this.canvas.addEventListener('pointerup', (event) => this.drop(event));
		this.canvas.addEventListener('pointercancel', () => {
			this.drag = null; // a swipe that scrolls the page
			this.draw();
		});
		byId('thread').addEventListener('change', () =>
			this.explorer.go({ threads: byId('thread').value, zoom: '0' }),
		);
		for (const id of ['from', 'to'])
			byId(id).addEventListener('change', () => this.typed());
	}

	drop(event) {
		const isDrawn = this.drag && Math.abs(event.clientX - this.drag.x) > 4;
		const chosen = this.drag && this.dragged();
		const box = this.canvas.getBoundingClientRect();
		const i = this.shown[Math.floor((event.clientY - box.top) / LANE)];

		this.drag = null;
		if (isDrawn) this.explorer.go({ ...chosen, zoom: '0' });
		else if (i !== undefined) this.toggle(i, event.shiftKey || event.ctrlKey);
	}

	// With a key held the thread joins those that are chosen, or leaves them.
	toggle(i, isMore) {
		const list = this.explorer.state.threads.split(',').filter(Boolean);
		const own = String(i);
		let chosen = list.length === 1 && list[0] === own ? [] : [own];

		if (isMore)
			chosen = list.includes(own)
				? list.filter((t) => t !== own)
				: [...list, own];
		this.explorer.go({ threads: chosen.join(','), zoom: '0' });
	}

	typed() {
		const { slices } = this.explorer.profile.times;
		const from = byId('from').value === '' ? 0 : this.slice(Number(byId('from').value));
		const to = byId('to').value === '' ? slices : this.slice(Number(byId('to').value));

		if (from === 0 && to === slices) this.explorer.go({ from: -1, to: -1, zoom: '0' });
		else if (from < to) this.explorer.go({ from, to, zoom: '0' });
	}
}
