// How long pages of flame graphs take in a browser: page_times.cjs KIND FILE, where KIND is ours, svg (FlameGraph's) or
// speedscope. Writes a line of JSON: seconds until the first picture, and for each of the things done then, until it is
// painted.
const fs = require("fs");
const path = require("path");
const { withPage } = require("./browser.cjs");

const SEARCH = "fn_12";
const LIMIT = 300000;
const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// The time that an action takes in the page until it is painted.
const timed = (page, action) => page.evaluate(`(async () => {
	const painted = ${painted};
	await painted();
	const begin = performance.now();
	(${action})();
	await painted();
	return (performance.now() - begin) / 1000;
})()`);

const key = (name) => `() => document.getElementById("canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true }))`;

const kinds = {
	async ours(page, file) {
		const begin = performance.now();

		await page.goto(`file://${path.resolve(file)}`);
		await page.waitForSelector("html[data-ready]", { state: "attached" });
		await page.evaluate(painted);
		const first = (performance.now() - begin) / 1000;
		await page.focus("#canvas");
		await timed(page, key("ArrowDown"));
		await timed(page, key("ArrowDown"));
		const zoom = await timed(page, key("Enter"));
		const redraw = await timed(page, key("ArrowRight"));
		await timed(page, key("0"));
		const search = await timed(page, `() => { const box = document.getElementById("search"); box.value = "${SEARCH}";
			box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })); }`);
		const leaf = await timed(page, key("2"));
		return { first, zoom, redraw, search, leaf };
	},

	async svg(page, file) {
		const begin = performance.now();

		await page.goto(`file://${path.resolve(file)}`);
		await page.evaluate(painted);
		const first = (performance.now() - begin) / 1000;
		const zoom = await timed(page, `() => zoom([...document.querySelectorAll("#frames g")].sort((a, b) =>
			b.querySelector("rect").width.baseVal.value - a.querySelector("rect").width.baseVal.value)[8])`);
		const search = await timed(page, `() => search("${SEARCH}")`);
		return { first, zoom, search };
	},

	async speedscope(page, file) {
		const release = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release");
		const script = path.resolve(`${file}.js`);
		const text = fs.readFileSync(file).toString("base64");

		fs.writeFileSync(script, `speedscope.loadFileFromBase64("tree", "${text}")`);
		await page.goto("about:blank");
		const begin = performance.now();
		await page.goto(`file://${release}/index.html#localProfilePath=${script}`);
		await page.waitForFunction(() => document.querySelectorAll("canvas").length > 1);
		await page.evaluate(painted);
		return { first: (performance.now() - begin) / 1000 };
	},
};

const [kind, file] = process.argv.slice(2);
withPage({ viewport: { width: 1600, height: 900 } }, async (page) => {
	page.setDefaultTimeout(LIMIT);
	console.log(JSON.stringify(await kinds[kind](page, file)));
}).catch((error) => {
	console.error(String(error.stack || error));
	process.exit(1);
});
