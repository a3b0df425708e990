// Check files against speedscope's schema, open each in speedscope's page, and write what its Sandwich view lists of each
// profile to FILE.rows: lines NAME, SELF, TOTAL, FUNCTION, with tabs between them.
//
// speedscope.cjs FILE...
const fs = require("fs");
const path = require("path");
const Ajv = require("ajv");
const { withPage } = require("./browser.cjs");

const release = path.join(path.dirname(require.resolve("speedscope/package.json")), "dist/release");
const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json")));
const validate = new Ajv({ strict: false }).compile(schema);

// The page can load a script from file://, but no other file. So speedscope's own command line does it, too.
function scriptOf(file, text) {
	const script = path.resolve(`${file}.js`);

	fs.writeFileSync(script, `speedscope.loadFileFromBase64("recording", "${text.toString("base64")}")`);
	return script;
}

// Rows "1.23s (45%)" twice and the function. The table has all that fit the window.
async function rows(page) {
	const cells = (list) => list.map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
	const all = await page.$$eval("table tr", cells);

	return all.filter((row) => row.length === 3 && row[0].includes("%")).map(([total, self, name]) => [
		self.replace(/ .*/, ""), total.replace(/ .*/, ""), name,
	]);
}

async function list(page, file) {
	const text = fs.readFileSync(file);
	const profile = JSON.parse(text);
	const lines = [];

	if (!validate(profile))
		throw new Error(`${file} is not as the schema says: ${JSON.stringify(validate.errors[0])}`);
	await page.goto(`file://${release}/index.html#localProfilePath=${scriptOf(file, text)}`);
	await page.reload(); // the part behind # alone loads nothing
	await page.waitForSelector("canvas");
	await page.keyboard.press("3");
	for (let i = profile.activeProfileIndex; i > 0; i--)
		await page.keyboard.press("p");
	for (const [i, one] of profile.profiles.entries()) {
		const heading = profile.profiles.length > 1 ? `${one.name} (${i + 1}/${profile.profiles.length})` : one.name;

		await page.waitForFunction((text) => document.body.innerText.includes(text), heading);
		for (const row of await rows(page))
			lines.push(`${[one.name, ...row].join("\t")}\n`);
		await page.keyboard.press("n");
	}
	fs.writeFileSync(`${file}.rows`, lines.join(""));
}

withPage({ viewport: { width: 800, height: 2000 } }, async (page) => {
	for (const file of process.argv.slice(2))
		await list(page, file);
});
