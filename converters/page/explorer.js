// explorer.js - shows what the state says, and changes the state when somebody asks for something.

const VIEWS = [
	{ name: 'flame', title: 'Flame graph', key: '1', section: 'graph' },
	{ name: 'leaf', title: 'From the leaf', key: '2', section: 'graph' },
	{ name: 'sandwich', title: 'Callers/callees', key: '3', section: 'graph' },
	{ name: 'functions', title: 'Functions', key: '4', section: 'functions' },
	{ name: 'paths', title: 'Paths', key: '5', section: 'paths' },
	{ name: 'calls', title: 'Call graph', key: '6', section: 'calls' },
	{ name: 'timeline', title: 'Timeline', key: '7', section: 'timeline', has: (p) => p.times },
	{
		name: 'changes',
		title: 'Gone and new',
		key: '8',
		section: 'changes',
		has: (p) => p.isCompared,
	},
	{ name: 'source', title: 'Source', key: 's', section: 'source', has: (p) => p.sources },
	{ name: 'facts', title: 'Recording', key: '9', section: 'facts' },
];

const WORDS = { focus: 'only with', ignore: 'without', hide: 'hidden:' }; // of filters
const CHIPS_MOST = 5; // of threads; more are one

class Explorer {
	constructor(profile) {
		this.profile = profile;
		this.model = new Model(profile);
		this.colours = new Colours(this.model);
		this.flame = new Flame(byId('scroll'), this.colours);
		this.table = new Table(byId('table'), byId('more'), (f) => this.sandwich(f));
		this.weighed = ''; // the column and the filters that the model has
		this.trees = new Map(); // by view, of these
		this.zooms = {}; // by view, where it was left
		this.state = readState('', profile);
		this.prepare();
		addEventListener('hashchange', () => {
			if (location.hash === this.applied) return;
			this.apply();
			byId('search').value = this.state.search;
		});
		this.apply();
	}

	// ---- what never changes ----------------------------------------------------------------------

	// What the page is of, and which resource if there is no choice.
	showTitle(line) {
		const p = this.profile;

		byId('title').textContent = document.title;
		if (p.isCompared || p.columns.length < 2)
			byId('title').append(
				element(
					'span',
					{},
					' · ' + visible(line.replace(/.*resources?: /, '')),
				),
			);
	}

	prepare() {
		const p = this.profile;
		const lines = p.caption.trim().split('\n');

		this.showTitle(lines[0]);
		const isSaid = (line) =>
			/^(recording itself took|also recorded:|calls (were|are) counted) /.test(
				line,
			);
		const about = lines.filter((line, i) => (i > 0 && i < 3) || isSaid(line));

		byId('about').textContent = visible(about.join(' · '));
		for (const [id, lines] of [
			['caption', p.caption],
			['info', p.facts],
		])
			byId(id).append(
				...lines.split(/(?<=\n)/).map((line) => element('span', {}, line)),
			);
		this.views = VIEWS.filter((v) => !v.has || v.has(p));
		for (const v of this.views) {
			const tab = element(
				'button',
				{ type: 'button', role: 'tab', title: `Key ${v.key}` },
				v.title,
			);

			tab.id = 'view-' + v.name;
			tab.addEventListener('click', () => this.goToView(v.name));
			byId('views').append(tab);
		}
		p.columns.forEach((c, i) =>
			byId('column').append(
				element('option', { value: i }, nameElement(visible(c.resource))),
			),
		);
		byId('resources').hidden = p.isCompared || p.columns.length < 2;
		byId('column').addEventListener('change', () =>
			this.go({ column: Number(byId('column').value) }),
		);
		byId('undo').addEventListener('click', () => this.undo());
		byId('theme').addEventListener('click', () => this.setTheme(!this.isDark));
		const dark = matchMedia('(prefers-color-scheme: dark)');

		this.setTheme(dark.matches);
		dark.addEventListener('change', () => this.setTheme(dark.matches));
		listenToSearch(this);
		listenToCanvas(this);
		listenToKeys(this);
		listenToSaving(this);
		this.flame.onDrawn = () => {
			if (!this.flame.trees.length) return;
			drawStrip(this);
			showHeaviest(this);
		};
		this.listenToMenus();
		if (p.times) this.timeline = new Timeline(this);
		byId('to-source').hidden = !p.sources;
		if (p.sources) listenToSource(this);
	}

	listenToMenus() {
		byId('colouring').hidden = this.profile.isCompared;
		byId('colours').addEventListener('change', () =>
			this.go({ colours: byId('colours').value }),
		);
		byId('menu').addEventListener('click', () => {
			const isOpen = byId('bar').classList.toggle('open');

			byId('menu').setAttribute('aria-expanded', isOpen);
		});
	}

	setTheme(isDark) {
		this.isDark = isDark;
		document.documentElement.classList.toggle('dark', isDark);
		byId('theme').textContent = isDark ? 'light' : 'dark';
		this.colours.setTheme(isDark);
		this.showLegend();
		this.flame.redraw();
		if (this.state && this.applied !== undefined) this.showView();
	}

	showLegend() {
		const p = this.profile;
		const legend = byId('legend');
		const sample = (colour, text) => {
			const swatch = element('i', {});

			swatch.style.background = colour;
			return element('span', {}, swatch, nameElement(visible(text)));
		};

		legend.replaceChildren();
		if (p.isCompared)
			legend.append(
				sample(this.colours.ofChange(1, 0), 'gone'),
				sample(this.colours.ofChange(2, 1), 'less'),
				sample(this.colours.ofChange(1, 1), 'the same'),
				sample(this.colours.ofChange(1, 2), 'more'),
				sample(this.colours.ofChange(0, 1), 'new'),
				'a box is as wide as before and after together',
			);
		else if (this.colours.byFunction)
			legend.append('each function has a colour of its own');
		else
			for (const m of this.colours.modules.slice(0, 12))
				legend.append(sample(this.colours.ofModule(m), p.modules[m]));
	}

	// ---- state -----------------------------------------------------------------------------------

	go(changes, replaces) {
		const text = '#' + stateText({ ...this.state, ...changes });

		if (text === (location.hash || '#')) return;
		const steps = this.steps();
		if (replaces) {
			history.replaceState(steps, '', text);
			this.apply();
			return;
		}
		location.hash = text;
		history.replaceState(steps + 1, '');
		this.apply();
	}

	// A view is shown as it was left. That of callers and callees always begins with its function.
	goToView(view) {
		const zoom = (view !== 'sandwich' && this.zooms[view]) || '0';

		this.go({ view, zoom });
	}

	// How many steps undo can take back without leaving the page.
	steps() {
		return Number(history.state) || 0;
	}

	undo() {
		if (this.steps()) history.back();
	}

	apply() {
		const state = readState(location.hash.slice(1), this.profile);

		this.applied = location.hash;
		this.state = state;
		if (!this.views.some((v) => v.name === state.view)) state.view = 'flame';
		this.weigh();
		if (state.view === 'sandwich' && state.fn < 0) state.fn = this.heaviest();
		if (state.view === 'sandwich' && state.fn < 0) state.view = 'flame';
		this.zooms[state.view] = state.zoom;
		this.applySearch();
		this.applyColours();
		this.showView();
		byId('column').value = state.column;
		byId('undo').disabled = !this.steps();
	}

	applyColours() {
		const isByFunction = this.state.colours === 'function' && !this.profile.isCompared;

		byId('colours').value = isByFunction ? 'function' : 'module';
		if (isByFunction === this.colours.byFunction) return;
		this.colours.setByFunction(isByFunction);
		this.showLegend();
	}

	// Weigh anew if the column, the filters or the chosen part are others.
	weigh() {
		const { column, filters, threads, from, to } = this.state;
		const text = stateText({ ...DEFAULTS, column, filters, threads, from, to });

		if (text === this.weighed) return;
		this.weighed = text;
		for (const f of filters) f.marks = this.marksOf(f);
		this.model.weigh(column, filters, this.part());
		this.trees.clear();
		this.zooms = {};
		this.centred = -1;
		this.showFilters();
	}

	// The threads and the time that are chosen; null: all.
	part() {
		const { threads, from, to } = this.state;

		if (!this.profile.times || (!threads && from < 0)) return null;
		return {
			threads: threads ? new Set(threads.split(',').map(Number)) : null,
			from: Math.max(from, 0),
			to: to < 0 ? Infinity : to,
		};
	}

	marksOf(filter) {
		if (filter.fn < 0)
			return tryMatch(this.profile, filter.text).marks || new Uint8Array(1);
		const marks = new Uint8Array(this.profile.nFunctions + 1);

		marks[filter.fn] = 1;
		return marks;
	}

	showFilters() {
		const { filters, threads, from, to } = this.state;
		const chips = filters.map((f, i) => {
			const isWrong = f.fn < 0 && tryMatch(this.profile, f.text).error;
			const name = f.fn < 0 ? '/' + f.text + '/' : this.profile.shownNames[f.fn];

			return this.chip(
				WORDS[f.kind],
				visible(name) + (isWrong ? ' (no expression)' : ''),
				{
					filters: filters.filter((_, k) => k !== i),
				},
			);
		});

		const n = threads.split(',').length;

		if (this.part() && n > CHIPS_MOST)
			chips.push(this.chip('only', `${n} threads`, { threads: '' }));
		else if (this.part() && threads)
			for (const t of threads.split(','))
				chips.push(
					this.chip('only thread', this.timeline.label(Number(t)), {
						threads: threads
							.split(',')
							.filter((other) => other !== t)
							.join(','),
					}),
				);
		if (this.part() && from >= 0) {
			const [begin, end] = [from, to].map((slice) => this.timeline.bound(slice));

			chips.push(
				this.chip('only from', `${begin} s to ${end} s`, {
					from: -1,
					to: -1,
				}),
			);
		}
		byId('filters').replaceChildren(...chips);
	}

	// A button that says what is left out, and takes that back.
	chip(kind, name, changes) {
		const chip = element(
			'button',
			{ type: 'button', title: 'Take this filter away' },
			kind + ' ',
			nameElement(name),
			' ✕',
		);

		chip.addEventListener('click', () => this.go({ ...changes, zoom: '0' }));
		return chip;
	}

	filter(kind, fn, text = '') {
		const { filters } = this.state;
		const same = (f) => f.kind === kind && f.fn === fn && f.text === text;

		if (!filters.some(same))
			this.go({ filters: [...filters, { kind, fn, text }], zoom: '0' });
	}

	// ---- views -----------------------------------------------------------------------------------

	showView() {
		const view = VIEWS.find((v) => v.name === this.state.view);

		for (const v of this.views) {
			byId(v.section).hidden = v.section !== view.section;
			byId('view-' + v.name).setAttribute('aria-selected', v === view);
			if (v === view)
				byId('view-' + v.name).scrollIntoView({
					block: 'nearest',
					inline: 'nearest',
				});
		}
		byId(view.section).setAttribute('aria-label', view.title);
		byId('save').querySelector('[value=png]').hidden = view.section !== 'graph';
		byId('save').querySelector('[value=svg]').hidden = !['graph', 'calls'].includes(
			view.section,
		);
		if (view.section !== 'graph') {
			this.graphShown = null;
			this.select(null);
		}
		const show = {
			graph: () => this.showGraph(),
			functions: () => this.showTable(),
			paths: () => showPaths(this),
			calls: () => showCalls(this),
			timeline: () => this.timeline.show(),
			changes: () => showChanges(this),
			source: () => showSource(this),
			facts: () => {},
		};
		show[view.section]();
		findPlaces(this);
	}

	showTable() {
		this.table.show(this.model, this.marks, this.state.sort, (sort) =>
			this.go({ sort }),
		);
	}

	showGraph() {
		const trees = this.treesOf(this.state.view);
		const { tree } = trees[0];
		const k = Math.max(trees[0].up ? 0 : tree.at(this.state.zoom), 0);

		// What is typed into the search field, or another colour, moves nothing.
		if (
			this.flame.trees === trees &&
			this.flame.zoomed === k &&
			this.graphShown === trees
		) {
			this.flame.redraw();
			return;
		}
		this.graphShown = trees;
		this.flame.show(trees, k);
		this.select({ tree, k });
		if (this.state.view === 'sandwich' && this.centred !== this.state.fn) {
			this.centred = this.state.fn;
			byId('scroll').scrollTop = Math.max(
				0,
				(this.flame.rowsAbove + 1) * ROW - byId('scroll').clientHeight / 2,
			);
		}
		this.flame.reveal(trees[0], k);
	}

	treesOf(view) {
		const key = view === 'sandwich' ? view + this.state.fn : view;

		if (!this.trees.has(key)) this.trees.set(key, this.makeTrees(view));
		return this.trees.get(key);
	}

	makeTrees(view) {
		const { model, profile } = this;

		if (view === 'flame')
			return [
				{
					tree: new BranchesDown(model, profile.nFunctions, [0]),
					up: false,
				},
			];
		if (view === 'leaf') return [{ tree: BranchesUp.fromLeaves(model), up: false }];
		const { fn } = this.state;
		const nodes = model.outermost(fn);
		const weights = Float64Array.from(nodes, (i) => model.total[i]);
		return [
			{ tree: new BranchesDown(model, fn, nodes), up: false },
			{
				tree: new BranchesUp(
					model,
					fn,
					nodes,
					weights,
					model.before?.total,
				),
				up: true,
			},
		];
	}

	heaviest() {
		const self = this.model.selfOfProgram();

		return self.reduce(
			(best, weight, f) => (weight > (self[best] ?? 0) ? f : best),
			-1,
		);
	}

	sandwich(fn) {
		if (fn < this.profile.nFunctions) this.go({ view: 'sandwich', fn, zoom: '0' });
	}

	// The entry of the flame graph's list that has the tree.
	entry(tree) {
		return this.flame.trees.find((t) => t.tree === tree);
	}

	zoom(at) {
		if (!at) return;
		const t = this.entry(at.tree);

		if (t.up) this.sandwich(at.tree.fn[at.k]);
		else this.go({ zoom: at.tree.address(at.k) });
	}

	zoomOut() {
		if (byId('graph').hidden) return;
		const { tree } = this.flame.trees[0];
		const k = this.flame.zoomed;

		if (k) this.go({ zoom: tree.parent[k] ? tree.address(tree.parent[k]) : '0' });
	}

	// ---- selection -------------------------------------------------------------------------------

	select(at) {
		this.flame.selected = at;
		this.pointed = null;
		byId('details').setAttribute('aria-live', 'polite');
		showDetails(this, at);
		if (at) this.flame.redraw();
	}

	// ---- search ----------------------------------------------------------------------------------

	applySearch() {
		const { search } = this.state;

		if (byId('search').value !== search && document.activeElement !== byId('search'))
			byId('search').value = search;
		if (this.searched !== search + '\n' + this.weighed) {
			this.searched = search + '\n' + this.weighed;
			searchFor(this, search);
		}
		this.flame.marks = this.marks;
	}
}
