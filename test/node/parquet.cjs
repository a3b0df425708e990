// SPDX-License-Identifier: MIT
// parquet.cjs FILE WEIGHT COLUMN...: reads the file by DuckDB and by hyparquet, which must have the same rows, and prints
// self and total of each function as DuckDB computes them, separated by tabs.
//
// A call path counts once for each function on it, however often the function is there.
'use strict';
const fs = require('fs');
const path = require('path');
const {DuckDBInstance} = require('@duckdb/node-api');

const [file, weight] = process.argv.slice(2);

// Each row with all its callers and itself, then each function of these once.
const totals = `
WITH RECURSIVE calls AS (SELECT * FROM read_parquet('${file}')),
chain(leaf, node) AS (
	SELECT node, node FROM calls WHERE "${weight}" > 0
	UNION ALL
	SELECT chain.leaf, calls.parent FROM chain JOIN calls ON calls.node = chain.node
	WHERE calls.parent IS NOT NULL),
met AS (
	SELECT DISTINCT chain.leaf, calls.function FROM chain JOIN calls ON calls.node = chain.node)
SELECT met.function, sum(leaves."${weight}") AS total,
	coalesce((SELECT sum(c."${weight}") FROM calls c WHERE c.function = met.function), 0) AS self
FROM met JOIN calls leaves ON leaves.node = met.leaf
GROUP BY met.function`;

function plain(value) {
	if (value === null || value === undefined) return null;
	if (typeof value === 'bigint') return value.toString();
	return typeof value === 'number' ? String(value) : value;
}

async function byDuckdb() {
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();

	return {
		all: await rows(`SELECT * FROM read_parquet('${file}') ORDER BY node`),
		totals: await rows(totals),
	};
}

// A module that cannot be required; import() does not look at NODE_PATH.
function module_(name) {
	const folder = path.join(process.env.NODE_PATH, name);
	const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));

	return import(path.join(folder, about.main));
}

async function byHyparquet() {
	const {parquetReadObjects} = await module_('hyparquet');
	const {compressors} = await module_('hyparquet-compressors');
	const bytes = fs.readFileSync(file);
	const all = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);

	return parquetReadObjects({file: all, compressors});
}

function same(a, b) {
	if (a.length !== b.length) throw new Error(`${a.length} rows, and ${b.length}`);
	for (let i = 0; i < a.length; i++)
		for (const column of Object.keys(a[i]))
			if (plain(a[i][column]) !== plain(b[i][column]))
				throw new Error(`row ${i}, ${column}: ${a[i][column]}, and ${b[i][column]}`);
}

async function main() {
	const duckdb = await byDuckdb();

	same(duckdb.all, await byHyparquet());
	for (const row of duckdb.totals) console.log(`${row.self}\t${row.total}\t${row.function}`);
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
