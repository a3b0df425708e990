// dom.js - elements of the page. What comes from the profile only ever becomes text.

function byId(id) {
	return document.getElementById(id);
}

function element(tag, properties, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(properties || {}))
		if (key.includes('-') || key === 'role' || key === 'scope')
			e.setAttribute(key, value);
		else e[key] = value;
	e.append(...children);
	return e;
}

// A name stands by itself: one that is written from right to left turns nothing round beside it.
function nameElement(text) {
	return element('bdi', { dir: 'ltr' }, text);
}
