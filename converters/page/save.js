// save.js - what is seen, as a file: SVG, PNG, or on paper.

const SVG = 'http://www.w3.org/2000/svg';

function svgElement(tag, attributes, ...children) {
	const e = document.createElementNS(SVG, tag);

	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
	e.append(...children);
	return e;
}

function rounded(number) {
	return Math.round(number * 100) / 100;
}

// Takes what is drawn on a canvas, as far as a flame graph draws, and makes an SVG of it.
class SvgContext {
	constructor(canvas, width, height) {
		this.canvas = canvas;
		this.globalAlpha = 1;
		this.root = svgElement('svg', {
			xmlns: SVG,
			width,
			height,
			viewBox: `0 0 ${width} ${height}`,
			'font-family': 'system-ui, sans-serif',
			'font-size': '12px',
		});
	}

	clearRect() {}

	measureText(text) {
		return this.canvas.measureText(text);
	}

	rect(x, y, width, height, more) {
		const box = {
			x: rounded(x),
			y: rounded(y),
			width: rounded(width),
			height: rounded(height),
		};

		this.root.append(
			svgElement('rect', { ...box, opacity: this.globalAlpha, ...more }),
		);
	}

	fillRect(x, y, width, height) {
		this.rect(x, y, width, height, { fill: this.fillStyle });
	}

	strokeRect(x, y, width, height) {
		const line = {
			fill: 'none',
			stroke: this.strokeStyle,
			'stroke-width': this.lineWidth,
		};

		this.rect(x, y, width, height, line);
	}

	fillText(text, x, y) {
		this.root.append(
			svgElement(
				'text',
				{ x: rounded(x), y: rounded(y + 4), fill: this.fillStyle },
				text,
			),
		);
	}
}

// The flame graph as it is seen, as an SVG element.
function flameToSvg(flame) {
	const context = new SvgContext(flame.context, flame.width, flame.height);
	const own = flame.context;

	flame.context = context;
	context.fillStyle = getComputedStyle(document.body).backgroundColor;
	context.fillRect(0, 0, flame.width, flame.height);
	try {
		flame.drawTrees();
	} finally {
		flame.context = own;
	}
	return context.root;
}

// What is shown, as an SVG element; null: it is no picture.
function seenAsSvg(explorer) {
	const { section } = VIEWS.find((v) => v.name === explorer.state.view);

	if (section === 'graph') return flameToSvg(explorer.flame);
	const drawing = byId(section).querySelector('svg');
	return drawing ? drawing.cloneNode(true) : null;
}

function download(explorer, blob, ending) {
	const url = URL.createObjectURL(blob);

	element('a', {
		href: url,
		download: `${document.title}-${explorer.state.view}.${ending}`,
	}).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function saveSvg(explorer) {
	const svg = seenAsSvg(explorer);

	if (svg)
		download(
			explorer,
			new Blob([new XMLSerializer().serializeToString(svg)], {
				type: 'image/svg+xml',
			}),
			'svg',
		);
}

// The canvas is transparent where nothing is drawn, so that a background comes first.
function savePng(explorer) {
	const { canvas } = explorer.flame;
	const copy = element('canvas', { width: canvas.width, height: canvas.height });
	const context = copy.getContext('2d');

	context.fillStyle = getComputedStyle(document.body).backgroundColor;
	context.fillRect(0, 0, copy.width, copy.height);
	context.drawImage(canvas, 0, 0);
	copy.toBlob((blob) => download(explorer, blob, 'png'));
}

function listenToSaving(explorer) {
	byId('save').addEventListener('change', () => {
		const { value } = byId('save');

		byId('save').value = '';
		if (value === 'svg') saveSvg(explorer);
		else if (value === 'png') savePng(explorer);
		else if (value === 'print') print();
	});
	let wasDark = false;

	addEventListener('beforeprint', () => {
		wasDark = explorer.isDark;
		if (wasDark) explorer.setTheme(false); // paper is white
		const svg = seenAsSvg(explorer);

		byId('print').replaceChildren(...(svg ? [svg] : []));
		if (byId('functions').hidden) explorer.showTable();
	});
	addEventListener('afterprint', () => {
		byId('print').replaceChildren();
		if (wasDark) explorer.setTheme(true);
	});
}
