// changes.js - of two programs that are compared: the paths that only one of them has.

const CHANGES_MOST = 200;

// The outermost nodes that only one side has, from the heaviest on.
function pathsOfOne(model, mine, others) {
	const p = model.profile;
	const list = [];

	for (let i = 1; i < p.n;)
		if (mine[i] && !others[i]) {
			list.push(i);
			i = p.end[i];
		} else {
			i++;
		}
	return list.sort((a, b) => mine[b] - mine[a] || a - b);
}

function profilePath(profile, node) {
	const fns = [];

	for (let i = node; i > 0; i = profile.parent[i]) fns.unshift(profile.fn[i]);
	return fns;
}

function changesTable(explorer, title, mine, others, whole) {
	const { model, profile } = explorer;
	const list = pathsOfOne(model, mine, others);
	const sum = list.reduce((all, i) => all + mine[i], 0);
	const body = element('tbody');

	for (const i of list.slice(0, CHANGES_MOST)) {
		const weight = element('td', {}, weightText(mine[i], model.unit));

		weight.dataset.value = mine[i];
		body.append(
			element(
				'tr',
				{ fns: profilePath(profile, i) },
				element('td', {}, percentText(mine[i], whole)),
				weight,
				element(
					'td',
					{ className: 'text path' },
					nameElement(chainText(profile, profilePath(profile, i))),
				),
			),
		);
	}
	const more =
		list.length > CHANGES_MOST ? `, of which the first ${CHANGES_MOST} follow` : '';
	return element(
		'table',
		{ className: 'changes' },
		element(
			'caption',
			{},
			`${title}: ${plural(list.length, 'path')} with ${weightText(sum, model.unit)} (${percentText(sum, whole)})${more}`,
		),
		body,
	);
}

function showChanges(explorer) {
	const { model, profile } = explorer;
	const [before, after] = [model.before.total, model.after.total];

	byId('changes').replaceChildren(
		changesTable(explorer, 'Gone', before, after, profile.columns[0].whole),
		changesTable(explorer, 'New', after, before, profile.columns[1].whole),
	);
}
