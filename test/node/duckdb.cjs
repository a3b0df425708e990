// SPDX-License-Identifier: MIT
// duckdb.cjs SQL FILE: asks DuckDB about the table t, which is the Parquet file. Prints the rows with tabs.
'use strict';
const {DuckDBInstance} = require('@duckdb/node-api');

async function main() {
	const [sql, file] = process.argv.slice(2);
	const connection = await (await DuckDBInstance.create(':memory:')).connect();

	await connection.run(`CREATE VIEW t AS SELECT * FROM read_parquet('${file}')`);
	for (const row of (await connection.runAndReadAll(sql)).getRows()) console.log(row.map(String).join('\t'));
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
