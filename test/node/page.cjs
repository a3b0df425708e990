// Asks a page of cpconv --html what it shows, in a real browser.
//
// page.cjs PAGE COMMAND [ARGUMENT]... [, PAGE COMMAND [ARGUMENT]...]...
//
// Any request beyond the page itself is an error, and so is an error of the page's script.
const { pathToFileURL } = require("url");
const { withPage } = require("./browser.cjs");

const assert = (is, text) => {
	if (!is)
		throw new Error(text);
};
const text = (page, selector) => page.$eval(selector, (e) => e.innerText);
const hash = (page) => page.evaluate(() => location.hash);
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Open the page at a fragment of its URL, and wait until it has drawn.
async function open(page, path, fragment = "") {
	const url = pathToFileURL(path).href;
	const others = [];

	await page.goto("about:blank");
	page.removeAllListeners("request");
	page.on("request", (request) => {
		if (request.url().split("#")[0] !== url)
			others.push(request.url());
	});
	await page.goto(url + fragment);
	await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 60000 });
	await settled(page);
	return () => assert(others.length === 0, `the page asks for ${others}`);
}

// Press keys one after the other, on the flame graph.
async function press(page, ...keys) {
	await page.focus("#canvas");
	for (const key of keys)
		await page.keyboard.press(key);
	await settled(page);
}

const selected = (page) => page.$eval("#details", (e) => [e.querySelector("strong").textContent, Number(e.dataset.total)]);

// The table as --flat --tsv has it: self, total, name.
async function table(page) {
	while (await page.isVisible("#more"))
		await page.click("#more");
	return page.$$eval("#table tbody tr", (rows) => rows.map((row) => {
		const of = (key) => row.querySelector(`[data-key=${key}]`).dataset.value;
		return [of("self-weight"), of("total-weight"), row.querySelector(".name button").title].join("\t");
	}));
}

const commands = {
	// The rows of the table of functions, of the column with that name.
	async table(page, path, resource) {
		const done = await open(page, path, "#view=functions");

		if (resource)
			await page.selectOption("#column", { label: resource });
		console.log((await table(page)).join("\n"));
		done();
	},

	// The matched share of an expression, as a weight.
	async matched(page, path, expression) {
		const done = await open(page, path);

		await page.fill("#search", expression);
		await page.keyboard.press("Enter");
		console.log(await page.$eval("#matched", (e) => e.dataset.value));
		done();
	},

	// Each box by the keys, as far as the tree goes: depth, weight, name; from the outermost function on.
	async walk(page, path, fragment) {
		const done = await open(page, path, fragment || "");
		const visit = async (depth) => {
			const [name, total] = await selected(page);

			if (depth)
				console.log(`${depth - 1}\t${total}\t${name}`);
			for (let before = ""; ; before = await text(page, "#details")) {
				const here = await text(page, "#details");

				if (before) {
					await press(page, "ArrowRight");
					if (await text(page, "#details") === here)
						break;
				} else {
					await press(page, "ArrowDown");
					if (await text(page, "#details") === here)
						return;
				}
				await visit(depth + 1);
			}
			await press(page, "ArrowUp");
		};

		await visit(0);
		done();
	},

	...require("./page_use.cjs").commands({ assert, text, hash, settled, open, press, selected, table }),
};

// The browser is started once for all that is asked.
async function run(page, words) {
	while (words.length) {
		const end = words.indexOf(",");
		const [path, command, ...rest] = words.splice(0, end < 0 ? words.length : end + 1).filter((word) => word !== ",");

		await page.emulateMedia({ colorScheme: "light" });
		await commands[command](page, path, ...rest);
	}
}

withPage({ viewport: { width: 1280, height: 800 }, acceptDownloads: true }, (page) => run(page, process.argv.slice(2)))
	.catch((error) => {
		console.error(String(error.stack || error));
		process.exit(1);
	});
