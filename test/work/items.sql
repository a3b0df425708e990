-- SPDX-License-Identifier: MIT
-- A table with two indexes, joined, grouped, searched and changed. The number of items is the
-- parameter :items; the last statement is an error.
CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < coalesce(:items, 600000))
INSERT INTO item SELECT i, i * 7919 % 1009, 'item ' || (i * 31 % 65537), (i * 37 % 10007) / 100.0 FROM n;
CREATE INDEX by_owner ON item (owner, price);
CREATE INDEX by_name ON item (name);
SELECT owner, count(*), round(sum(price), 2), max(name) FROM item GROUP BY owner ORDER BY 3 DESC, 1 LIMIT 20;
SELECT count(*) FROM item a JOIN item b ON a.name = b.name AND a.id < b.id;
SELECT name, count(*) c FROM item WHERE name LIKE '%99%' GROUP BY name ORDER BY c DESC, name LIMIT 10;
UPDATE item SET price = price * 1.1 WHERE owner % 3 = 0;
DELETE FROM item WHERE owner % 5 = 0;
SELECT round(avg(price), 4), min(name), max(name), count(DISTINCT owner) FROM item;
SELECT nonsense;
