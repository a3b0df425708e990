// colours.js - each module has its hue, and each function its shade of that; or each function has a hue of its own.

const HUES = 24; // that are told apart
const FAR = 5; // so many hues lie between modules, as long as there is room
const GREY = -1; // of names that are no functions, such as [kernel]

// The same name always gives the same number.
function hashText(text) {
	let hash = 2166136261;

	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	hash ^= hash >>> 15;
	return Math.imul(hash, 2246822519) >>> 0;
}

function freeHue(wanted, taken) {
	for (let distance = FAR; distance > 0; distance--)
		for (let i = 0, hue = wanted; i < HUES; i++, hue = (hue + FAR) % HUES)
			if (
				taken.every(
					(t) =>
						(t - hue + HUES) % HUES >= distance &&
						(hue - t + HUES) % HUES >= distance,
				)
			)
				return hue;
	return wanted;
}

class Colours {
	constructor(model) {
		this.model = model;
		this.hues = this.chooseHues();
		this.byFunction = false;
		this.setTheme(false);
	}

	setByFunction(is) {
		this.byFunction = is;
		this.setTheme(this.isDark);
	}

	// The heaviest module takes the hue of its name; the others take theirs, or the next one that is far enough from
	// those of heavier modules.
	chooseHues() {
		const p = this.model.profile;
		const { self } = p.isCompared
			? this.model.functions().after
			: this.model.functions();
		const weights = new Float64Array(p.modules.length);
		const hues = new Array(p.modules.length);
		const taken = [];

		for (let i = 0; i < p.nFunctions; i++)
			if (p.moduleOf[i] >= 0) weights[p.moduleOf[i]] += self[i];
		this.modules = p.modules
			.map((_, i) => i)
			.sort((a, b) => weights[b] - weights[a] || a - b);
		for (const module of this.modules) {
			const hue = freeHue(hashText(p.modules[module]) % HUES, taken);

			taken.push(hue);
			hues[module] = (hue * 360) / HUES;
		}
		return hues;
	}

	setTheme(isDark) {
		this.isDark = isDark;
		this.known = new Array(this.model.profile.nFunctions + 1);
	}

	hueOf(fn) {
		const p = this.model.profile;

		if (fn === p.nFunctions) return GREY;
		if (this.byFunction) return ((hashText(p.names[fn]) % HUES) * 360) / HUES;
		if (p.moduleOf[fn] >= 0) return this.hues[p.moduleOf[fn]];
		return p.modules.length || p.names[fn].startsWith('[')
			? GREY
			: ((hashText(p.names[fn]) % HUES) * 75) / HUES;
	}

	of(fn) {
		this.known[fn] ||= this.shade(
			this.hueOf(fn),
			(hashText(this.model.profile.names[fn]) >>> 8) % 11,
		);
		return this.known[fn];
	}

	ofModule(module) {
		return this.shade(this.hues[module], 5);
	}

	shade(hue, step) {
		const light = this.isDark ? 20 + step : 70 + step; // beside the text at least 4.5 to 1

		if (hue === GREY) return `hsl(0 0% ${light}%)`;
		return `hsl(${hue} ${this.isDark ? 42 : 62}% ${light}%)`;
	}

	// From blue, all gone, over grey, the same, to orange, all new: people tell these two apart who do not see red or
	// green.
	ofChange(before, after) {
		const sum = before + after;
		const change = sum ? (after - before) / sum : 0;
		const far = Math.sqrt(Math.abs(change));
		const hue = change > 0 ? 28 : 212;

		return this.isDark
			? `hsl(${hue} ${far * 75}% ${22 + far * 10}%)`
			: `hsl(${hue} ${far * 90}% ${90 - far * 28}%)`;
	}
}
