// main.js - begins when the page is there.

async function main() {
	const started = performance.now();

	document.documentElement.classList.add('scripted');
	const data = byId('data');

	try {
		const profile = await readProfile(data.textContent);

		data.remove();
		new Explorer(profile);
		document.documentElement.dataset.ready = Math.round(performance.now() - started);
	} catch (error) {
		byId('about').textContent = 'This page cannot be shown: ' + error.message;
		throw error;
	}
}

main();
