// flame.js - draws branches as rows of boxes: as wide as they are heavy, callees below their callers.
//
// The canvas has the size of what is seen of it, whatever the height of the graph, and only boxes that are wide
// enough to be seen are drawn.

const ROW = 18; // pixels
const NARROW = 0.5; // pixels: of the boxes that are drawn
const TEXT_LEAST = 28; // pixels: of the boxes that have a text
const DOTS = '…';

class Flame {
	constructor(box, colours) {
		this.box = box; // scrolls; has the canvas and what makes it high
		this.canvas = box.querySelector('canvas');
		this.filler = box.querySelector('div');
		this.context = this.canvas.getContext('2d');
		this.colours = colours;
		this.trees = []; // [{tree, up}]
		this.zoomed = 0; // a branch of the first tree
		this.rowsAbove = 0; // of branches that grow upwards
		this.selected = null; // {tree, k}
		this.marks = null; // of functions that were searched for
		this.widths = []; // of characters, by their codes
		this.drawn = 0;
		this.frame = 0;
		this.onDrawn = () => {};
		box.addEventListener('scroll', () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(box);
	}

	// Show trees that share a root; those with `up` grow upwards.
	show(trees, zoomed) {
		this.trees = trees;
		this.zoomed = zoomed;
		const up = trees.find((t) => t.up);
		const down = trees.find((t) => !t.up);
		this.rowsAbove = up ? up.tree.height(0) : 0;
		this.rows = this.rowsAbove + 1;
		if (down) this.rows += down.tree.depth[zoomed] + down.tree.height(zoomed);
		this.filler.style.height = this.rows * ROW + 'px';
		this.redraw();
	}

	redraw() {
		if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
	}

	draw() {
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		this.fit();
		this.drawn = 0;
		this.style();
		const c = this.context;
		c.clearRect(0, 0, this.width, this.height);
		this.drawTrees();
		this.canvas.dataset.drawn = this.drawn;
		this.onDrawn();
	}

	drawTrees() {
		for (const t of this.trees) this.drawTree(t);
		for (const t of this.trees)
			if (this.selected?.tree === t.tree) this.drawSelection(t, this.selected.k);
	}

	fit() {
		const ratio = devicePixelRatio || 1;

		this.width = this.box.clientWidth;
		this.height = this.box.clientHeight;
		const [w, h] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
		if (this.canvas.width !== w || this.canvas.height !== h) {
			this.canvas.width = w;
			this.canvas.height = h;
			this.canvas.style.width = this.width + 'px';
			this.canvas.style.height = this.height + 'px';
			this.filler.style.marginTop = -this.height + 'px';
		}
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.scroll = this.box.scrollTop;
	}

	style() {
		const style = getComputedStyle(this.box);

		this.ink = style.getPropertyValue('--ink');
		this.mark = style.getPropertyValue('--mark');
		this.dim = style.getPropertyValue('--dim');
		this.context.font = '12px ' + style.fontFamily;
		this.context.textBaseline = 'middle';
	}

	// The zoomed branch fills the width; those that it lies in stand above it.
	drawTree(t) {
		const { tree } = t;
		const k = t === this.trees[0] ? this.zoomed : 0;

		t.scale = this.width / (tree.total[k] || 1);
		t.left = tree.x[k];
		for (let i = tree.parent[k]; i >= 0; i = tree.parent[i])
			this.drawBox(t, i, 0, this.width);
		if (tree.total[k]) this.drawBelow(t, k);
	}

	top(t, depth) {
		return (this.rowsAbove + (t.up ? -depth : depth)) * ROW - this.scroll;
	}

	isBeyond(t, depth) {
		const y = this.top(t, depth);

		return t.up ? y < -ROW : y > this.height;
	}

	drawBelow(t, root) {
		const { tree } = t;
		const open = [root];

		while (open.length) {
			const k = open.pop();
			const x = (tree.x[k] - t.left) * t.scale;
			const width = tree.total[k] * t.scale;

			this.drawBox(t, k, x, width);
			if (this.isBeyond(t, tree.depth[k] + 1)) continue;
			const from = tree.open(k);
			for (let i = from; i < from + tree.count[k]; i++) {
				if (tree.total[i] * t.scale < NARROW) {
					this.drawRest(t, k, i);
					break;
				}
				open.push(i);
			}
		}
	}

	// What is too narrow to be told apart: the branches of k from i on.
	drawRest(t, k, i) {
		const { tree } = t;
		const x = (tree.x[i] - t.left) * t.scale;
		const last = tree.first[k] + tree.count[k] - 1;
		const width = (tree.x[last] + tree.total[last] - tree.x[i]) * t.scale;

		if (width < NARROW) return;
		this.context.fillStyle = this.dim;
		this.context.fillRect(
			x,
			this.top(t, tree.depth[i]) + 1,
			Math.max(width - 1, NARROW),
			ROW - 2,
		);
	}

	fill(t, k) {
		const { tree } = t;

		if (tree.model.before && tree.fn[k] !== tree.model.profile.nFunctions)
			return this.colours.ofChange(
				tree.before[k],
				tree.total[k] - tree.before[k],
			);
		return this.colours.of(tree.fn[k]);
	}

	drawBox(t, k, x, width) {
		const c = this.context;
		const y = this.top(t, t.tree.depth[k]);
		const fn = t.tree.fn[k];

		if (y < -ROW || y > this.height) return;
		this.drawn++;
		c.globalAlpha = this.marks && !this.marks[fn] ? 0.45 : 1;
		c.fillStyle = this.marks?.[fn] ? this.mark : this.fill(t, k);
		c.fillRect(x, y, Math.max(width - 1, NARROW), ROW - 1);
		c.globalAlpha = 1;
		if (width > TEXT_LEAST)
			this.drawName(fn, Math.max(x, 0), y, Math.min(width, this.width - x));
	}

	// Where a branch stands: [x, width], as wide as the picture for those that the zoomed one lies in.
	span(t, k) {
		const { tree } = t;
		const zoomed = t === this.trees[0] ? this.zoomed : 0;

		if (tree.depth[k] <= tree.depth[zoomed]) return [0, this.width];
		return [(tree.x[k] - t.left) * t.scale, tree.total[k] * t.scale];
	}

	// A box that is too narrow to be seen is seen when it is selected.
	drawSelection(t, k) {
		const c = this.context;
		const y = this.top(t, t.tree.depth[k]);
		const [x, width] = this.span(t, k);

		if (y < -ROW || y > this.height || x + width < 0 || x > this.width) return;
		c.strokeStyle = this.ink;
		c.lineWidth = 2;
		c.strokeRect(
			Math.max(Math.min(x, this.width - 4), 0) + 1,
			y + 1,
			Math.max(Math.min(width, this.width) - 3, 2),
			ROW - 3,
		);
	}

	drawName(fn, x, y, room) {
		const c = this.context;
		const name = this.cut(this.colours.model.profile.shownNames[fn], room - 8);

		if (!name) return;
		c.fillStyle = this.ink;
		c.fillText(name, x + 4, y + ROW / 2);
	}

	// As much of a name as there is room for. Its module goes first, then what its namespaces and classes are:
	// …::last_part. A number is there as a whole or not at all.
	cut(full, room) {
		if (this.fitting(full, room) === full.length) return full;
		const name = withoutModule(full);
		if (this.fitting(name, room) === name.length) return name;
		if (name.startsWith('+0x')) return '';
		const last = lastPart(name);

		if (!last) return this.cutEnd(name, room);
		const short = DOTS + name.slice(last - 2);
		return this.fitting(short, room) === short.length
			? short
			: this.cutEnd(name.slice(last), room);
	}

	cutEnd(name, room) {
		const fits = this.fitting(name, room);

		if (fits === name.length) return name;
		return fits > 1 ? name.slice(0, fits) + DOTS : '';
	}

	// How many characters there is room for; dots follow, unless these are all. Adding up the widths of characters is
	// much quicker than measuring texts.
	fitting(name, room) {
		const dots = this.widthOf(DOTS.charCodeAt(0));
		let width = 0;
		let fits = 0;

		for (let i = 0; i < name.length; i++) {
			width += this.widthOf(name.charCodeAt(i));
			if (width > room) {
				return /[\ud800-\udbff]/.test(name[fits - 1]) ? fits - 1 : fits;
			}
			if (width + dots <= room) fits = i + 1;
		}
		return name.length;
	}

	widthOf(code) {
		let width = this.widths[code];

		if (width === undefined) {
			width = this.context.measureText(String.fromCharCode(code)).width;
			this.widths[code] = width;
		}
		return width;
	}

	// What is drawn there: {tree, k}, or null.
	hit(x, y) {
		const row = Math.floor((y + this.scroll) / ROW) - this.rowsAbove;

		for (const t of this.trees) {
			const depth = t.up ? -row : row;

			if (depth < 0 || (t.up && row === 0)) continue;
			const k = this.find(t, depth, t.left + x / t.scale);
			if (k >= 0) return { tree: t.tree, k };
		}
		return null;
	}

	find(t, depth, at) {
		const { tree } = t;
		const zoomed = t === this.trees[0] ? this.zoomed : 0;
		let k = zoomed;

		if (depth <= tree.depth[zoomed]) {
			while (tree.depth[k] > depth) k = tree.parent[k];
			return k;
		}
		while (tree.depth[k] < depth) {
			let low = tree.open(k);
			let high = low + tree.count[k];

			if (!(at >= tree.x[k] && tree.count[k])) return -1;
			while (high - low > 1) {
				const middle = (low + high) >> 1;

				if (tree.x[middle] <= at) low = middle;
				else high = middle;
			}
			if (at >= tree.x[low] + tree.total[low]) return -1;
			k = low;
		}
		return k;
	}

	// Scroll so that a branch can be seen.
	reveal(t, k) {
		const y = this.top(t, t.tree.depth[k]);

		if (y < 0) this.box.scrollTop += y - ROW;
		else if (y + ROW > this.height) this.box.scrollTop += y + 2 * ROW - this.height;
	}
}
