// Load files with the Firefox Profiler's command line, and write what it says of each thread: to FILE.rows lines THREAD, SELF,
// TOTAL, FUNCTION, and to FILE.marks lines THREAD, MARK, with tabs between them. Weights are as they come: milliseconds, or counts.
//
// firefox.cjs FILE...
const fs = require("fs");
const os = require("os");
const path = require("path");
const { spawnSync } = require("child_process");

const cli = require.resolve("@firefox-devtools/profiler-cli/dist/profiler-cli.js");
const sessions = fs.mkdtempSync(path.join(os.tmpdir(), "pq")); // sockets: their paths must be short
const env = { ...process.env, PROFILER_CLI_SESSION_DIR: sessions };

function run(...words) {
	return spawnSync(process.execPath, [cli, ...words, "--session", "test"], { env, encoding: "utf8", maxBuffer: 1 << 28 });
}

function ask(...words) {
	const answer = run(...words);

	if (answer.status !== 0)
		throw new Error(`${words.join(" ")}: ${answer.stderr}`);
	return answer.stdout;
}

// The command waits half a second for the server that it starts, which a busy machine may not have started as soon as that.
function load(file) {
	const answer = run("load", path.resolve(file));

	if (answer.status === 0)
		return;
	if (!/did not become ready/.test(answer.stderr))
		throw new Error(answer.stderr);
	for (let tries = 0; run("thread", "list").status !== 0; tries++)
		if (tries === 100)
			throw new Error(answer.stderr);
}

function write(file) {
	const rows = [], marks = [];

	load(file);
	for (const thread of JSON.parse(ask("thread", "list", "--json")).threads) {
		const of = ["--thread", thread.threadHandle, "--json", "--include-idle"];

		for (const f of JSON.parse(ask("thread", "functions", ...of)).functions)
			rows.push([thread.name, f.selfSamples, f.totalSamples, f.name].join("\t"));
		if (!thread.markerCount)
			continue;
		for (const group of JSON.parse(ask("thread", "markers", ...of.slice(0, 3))).byType)
			for (let i = 0; i < group.count; i++)
				marks.push(`${thread.name}\t${group.markerName}`);
	}
	ask("stop");
	fs.writeFileSync(`${file}.rows`, rows.map((row) => `${row}\n`).join(""));
	fs.writeFileSync(`${file}.marks`, marks.map((row) => `${row}\n`).join(""));
}

try {
	for (const file of process.argv.slice(2))
		write(file);
} finally {
	spawnSync(process.execPath, [cli, "stop", "--all"], { env });
	fs.rmSync(sessions, { recursive: true, force: true });
}
