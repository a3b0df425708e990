// text.js - how names and weights are written.

// Characters that are not seen, or that change how those around them are seen, are written as numbers.
const UNSEEN =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc]|\u17b4|\u17b5|[\u{e0000}-\u{e0fff}]/gu;

function visible(name) {
	return name.replace(
		UNSEEN,
		(c) => '\\u{' + c.codePointAt(0).toString(16).padStart(2, '0') + '}',
	);
}

// Where the last part of a qualified name begins, std::vector<a::b>::size; 0: it has no others.
function lastPart(name) {
	let depth = 0;
	let last = 0;

	for (let i = 0; i + 2 < name.length; i++) {
		const c = name[i];

		if ('<([{'.includes(c)) depth++;
		else if ('>)]}'.includes(c)) depth--;
		else if (depth === 0 && c === ':' && name[i + 1] === ':') last = i + 2;
	}
	return last;
}

// A name without the module it says: [a.so+0x10] is +0x10, and f (a.so) is f.
function withoutModule(name) {
	const [, offset] = name.match(/^\[.*(\+0x[0-9a-f]+)\]$/) || [];

	return offset || name.replace(/ \([^()]+\)$/, '');
}

const SCALES = {
	ns: [
		[1e9, 's'],
		[1e6, 'ms'],
		[1e3, 'µs'],
		[1, 'ns'],
	],
	bytes: [
		[1e12, 'TB'],
		[1e9, 'GB'],
		[1e6, 'MB'],
		[1e3, 'KB'],
		[1, 'B'],
	],
};

// The unit is a name; or that of means, {name, parts, digits}, of which the weight is in parts.
function weightText(weight, of) {
	const [value, unit] = of.parts ? [weight / of.parts, of.name] : [weight, of];
	const scales = SCALES[unit];
	const size = Math.abs(value);

	if (!scales) {
		const digits = of.digits || 0;
		const n = Number(value.toFixed(digits));
		const text = n.toLocaleString('en', {
			minimumFractionDigits: digits,
			maximumFractionDigits: digits,
		});

		return (
			text +
			(unit ? ' ' + (Math.abs(n) === 1 ? unit.replace(/s$/, '') : unit) : '')
		);
	}
	const [divisor, name] = scales.find((s) => size >= s[0]) || scales[scales.length - 1];
	const digits = divisor === 1 ? 0 : size / divisor < 10 ? 3 : size / divisor < 100 ? 2 : 1;
	return (value / divisor).toFixed(digits) + ' ' + name;
}

function percentText(part, whole) {
	return (whole ? (part / whole) * 100 : 0).toFixed(2) + ' %';
}

function signed(text, value) {
	return value > 0 ? '+' + text : text.replace('-', '\u2212');
}

function plural(n, what) {
	return n.toLocaleString('en') + ' ' + what + (n === 1 ? '' : 's');
}
