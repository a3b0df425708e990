// table.js - functions with their self and total, as a table that can be sorted.

const ROWS_AT_ONCE = 500;

class Table {
	constructor(table, more, choose) {
		this.table = table;
		this.more = more;
		this.choose = choose; // is called with the function of a row
		this.limit = ROWS_AT_ONCE;
		more.addEventListener('click', () => {
			this.limit *= 4;
			this.fill();
		});
	}

	// Show the functions that are marked; null: all.
	show(model, marks, sort, onSort) {
		this.limit = ROWS_AT_ONCE;
		this.model = model;
		this.marks = marks;
		this.onSort = onSort;
		this.columns = model.profile.isCompared
			? this.comparedColumns()
			: this.plainColumns();
		const [key, direction] = sort.split('.');
		this.sorted = this.columns.find((c) => c.key === key) || this.columns[0];
		this.isUp = direction === 'up' || (!direction && this.sorted.key === 'name');
		this.fill();
	}

	plainColumns() {
		const { self, total } = this.model.functions();
		const whole = this.model.whole;

		return [
			{
				key: 'self',
				title: 'self %',
				of: (f) => self[f],
				text: (v) => percentText(v, whole),
			},
			{
				key: 'self-weight',
				isExtra: true,
				title: 'self',
				of: (f) => self[f],
				isWeight: true,
			},
			{
				key: 'total',
				title: 'total %',
				of: (f) => total[f],
				text: (v) => percentText(v, whole),
			},
			{
				key: 'total-weight',
				isExtra: true,
				title: 'total',
				of: (f) => total[f],
				isWeight: true,
			},
			...this.sampleColumns(),
			...this.callColumns(),
			...this.nameColumns(),
		];
	}

	// How many samples a function's own figure stands on. Of a part of the time that is not known.
	sampleColumns() {
		const { samples } = this.model.functions();

		if (!samples) return [];
		return [
			{
				key: 'samples',
				isExtra: true,
				title: 'samples',
				of: (f) => samples[f],
				text: (v) => v.toLocaleString('en'),
			},
		];
	}

	// How often functions were called, if that was counted.
	callColumns() {
		const calls = this.model.calls();

		if (!calls) return [];
		return [
			{
				key: 'calls',
				isExtra: true,
				from: 860,
				title: 'calls',
				of: (f) => (calls.of[f] >= 0 ? calls.of[f] : -1),
				text: (v) => (v < 0 ? '' : v.toLocaleString('en')),
			},
		];
	}

	// What chance may have done is known of all stacks together.
	comparedColumns() {
		const { before, after } = this.model.functions();
		const { certain } = this.model.profile;
		const isWhole = !this.model.filters.length;
		const group = (key, what) => [
			{
				isExtra: key !== '',
				from: key && 860,
				key: key + 'change',
				title: `change of ${what}`,
				of: (f) => after[what][f] - before[what][f],
				rank: Math.abs,
				isWeight: true,
				isSigned: true,
				isBold: isWhole && ((f) => certain[what].isCertain[f]),
			},
			...(isWhole
				? [
						{
							isExtra: key !== '',
							from: key && 860,
							key: key + 'interval',
							title: '±',
							of: (f) => certain[what].plusMinus[f],
							text: (v) => weightText(v, this.model.unit),
						},
					]
				: []),
			{
				key: key + 'before',
				isExtra: true,
				from: key && 1150,
				title: 'before',
				of: (f) => before[what][f],
				isWeight: true,
			},
			{
				key: key + 'after',
				isExtra: true,
				from: key && 1150,
				title: 'after',
				of: (f) => after[what][f],
				isWeight: true,
			},
		];

		return [...group('', 'self'), ...group('total-', 'total'), ...this.nameColumns()];
	}

	nameColumns() {
		const p = this.model.profile;
		const columns = [
			{ key: 'name', title: 'function', of: (f) => p.names[f], isName: true },
		];

		if (p.modules.length)
			columns.push({
				key: 'module',
				isExtra: true,
				from: p.isCompared ? 960 : 860,
				title: 'module',
				of: (f) => (p.moduleOf[f] < 0 ? '' : p.modules[p.moduleOf[f]]),
				isText: true,
			});
		return columns;
	}

	rows() {
		const p = this.model.profile;
		const { of, rank } = this.sorted;
		const rows = [];
		const then = this.columns.find(
			(c) => c.key === (this.sorted.key.startsWith('self') ? 'total' : 'self'),
		);
		const direction = this.isUp ? 1 : -1;

		for (let f = 0; f < p.nFunctions; f++)
			if (
				(!this.marks || this.marks[f]) &&
				this.columns.some((c) => c.isWeight && c.of(f))
			)
				rows.push([rank ? rank(of(f)) : of(f), f]);
		rows.sort(
			([a, f], [b, g]) =>
				(a < b ? -direction : a > b ? direction : 0) ||
				(then ? then.of(g) - then.of(f) : 0) ||
				(p.names[f] < p.names[g] ? -1 : 1),
		);
		return rows.map((row) => row[1]);
	}

	fill() {
		const rows = this.rows();
		const body = element('tbody');

		for (const f of rows.slice(0, this.limit))
			body.append(
				element(
					'tr',
					{ fns: [f] },
					...this.columns.map((c) => this.cell(c, f)),
				),
			);
		this.table.replaceChildren(
			element('caption', {}, this.caption(rows.length)),
			element(
				'thead',
				{},
				element('tr', {}, ...this.columns.map((c) => this.heading(c))),
			),
			body,
		);
		this.more.hidden = rows.length <= this.limit;
		this.more.textContent = `Show more than ${this.limit} of ${plural(rows.length, 'function')}`;
	}

	caption(n) {
		const { isCompared } = this.model.profile;
		const text =
			'changes in bold are more than chance; ±: what chance may do, with 95 % confidence';

		const first = n > this.limit ? `, the first ${this.limit} of them` : '';

		return (
			(n ? plural(n, 'function') : 'No function has any of it') +
			first +
			(isCompared && !this.model.filters.length ? `; ${text}` : '')
		);
	}

	// Narrow screens have no room for what is `extra`, and some wider ones none for what has a width `from` which it is there.
	classOf(column) {
		return (
			(column.isName || column.isText ? 'text ' : '') +
			(column.isExtra ? 'extra' : '') +
			(column.from ? ` from-${column.from}` : '')
		);
	}

	heading(column) {
		const isSorted = column === this.sorted;
		const button = element('button', { type: 'button' }, column.title);

		button.addEventListener('click', () => {
			const isUp = isSorted
				? !this.isUp
				: column.key === 'name' || column.key === 'module';
			this.onSort(column.key + (isUp ? '.up' : '.down'));
		});
		return element(
			'th',
			{
				scope: 'col',
				'aria-sort': !isSorted
					? 'none'
					: this.isUp
						? 'ascending'
						: 'descending',
				className: this.classOf(column),
			},
			button,
		);
	}

	cell(column, f) {
		const value = column.of(f);

		if (column.isName) {
			const button = element(
				'button',
				{ type: 'button', title: visible(this.model.profile.names[f]) },
				nameElement(this.model.profile.shownNames[f]),
			);
			button.addEventListener('click', () => this.choose(f));
			return element('td', { className: 'text name' }, button);
		}
		if (column.isText)
			return element(
				'td',
				{ className: this.classOf(column) },
				nameElement(visible(value)),
			);
		const text = column.text ? column.text(value) : weightText(value, this.model.unit);
		const cell = element(
			'td',
			{ className: this.classOf(column) },
			column.isSigned ? signed(text, value) : text,
		);
		cell.dataset.value = value;
		cell.dataset.key = column.key;
		if (column.isBold && column.isBold(f)) cell.classList.add('certain');
		return cell;
	}
}
