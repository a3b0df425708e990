// Chromium without a window, as the tests of pages use it.
const { chromium } = require("playwright-core");

// Call work(page, context) with an empty page, and close the browser however that ends. Errors of the page are errors
// of the test. The options are those of browser.newContext().
exports.withPage = async function (options, work) {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--no-first-run"],
	});
	try {
		const context = await browser.newContext(options);
		const page = await context.newPage();
		const errors = [];
		page.on("pageerror", (error) => errors.push(error));
		await work(page, context);
		if (errors.length)
			throw errors[0];
	} finally {
		await browser.close();
	}
};
