// Filters, sorts and opens the rows, which are all readable without the script. The chosen filters are in the hash of the
// address. Anybody can make a link, so a filter from a link hides no problem (`data-kept`), and the page says that it filters.
(() => {
  const FACETS = {
    account: 'Account',
    action: 'Action or state',
    kind: 'Kind',
    label: 'Label',
    provenance: 'Provenance',
  };
  /** The same as in layout.ts: a browser lays a list out when it becomes visible. */
  const CHUNK = 200;
  const form = document.getElementById('filters');
  const parts = [...document.querySelectorAll('.part, .unit')];
  const lists = [...document.querySelectorAll('.rows')].map((node) => {
    const rows = [...node.querySelectorAll('.row')].map((row, place) => ({ node: row, place }));
    const chunks = [...node.children].map((ul, at) => ({
      node: ul,
      rows: rows.slice(at * CHUNK, (at + 1) * CHUNK),
    }));
    return { node, rows, chunks, shown: rows };
  });
  const all = lists.flatMap(({ rows }) => rows);
  if (all.length === 0) return;
  const valuesOf = ({ node }, facet) =>
    (node.dataset[facet] ?? '').split('\n').filter((value) => value !== '');
  const cell = ({ node }, name) => node.querySelector(`.${name}`)?.textContent ?? '';
  const textOf = (row) => {
    row.text ??= row.node.textContent.toLowerCase();
    return row.text;
  };
  const ORDERS = {
    '': ['as in the report', (row) => row.place],
    address: ['address', (row) => cell(row, 'who')],
    action: ['action or state', (row) => cell(row, 'sign')],
    sol: ['SOL', (row) => -(/([\d.]+)[^\d]*$/.exec(cell(row, 'sol'))?.[1] ?? -1)],
  };

  function make(name, children, properties = {}) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }

  function choice(name, title, options) {
    const made = options.map(([value, text]) => make('option', [text], { value }));
    return make('label', [title, make('select', made, { name })]);
  }

  function facetChoices() {
    return Object.entries(FACETS).flatMap(([facet, title]) => {
      const values = [...new Set(all.flatMap((row) => valuesOf(row, facet)))].sort();
      return values.length > 1
        ? [choice(facet, title, [['', 'all'], ...values.map((value) => [value, value])])]
        : [];
    });
  }

  const said = make('output', []);
  said.setAttribute('aria-live', 'polite');
  form.append(
    make('label', ['Address, wallet, any text', make('input', [], { name: 'q', type: 'search' })]),
    ...facetChoices(),
    choice(
      'sort',
      'Order',
      Object.entries(ORDERS).map(([name, [title]]) => [name, title]),
    ),
    make('button', ['Open all'], { type: 'button', value: 'open' }),
    make('button', ['Close all'], { type: 'button', value: '' }),
    said,
  );
  form.hidden = false;

  const told = make('span', []);
  told.setAttribute('role', 'status');
  const linked = make('div', [told, make('button', ['Show all rows'], { type: 'button' })], {
    id: 'linked',
    hidden: true,
  });
  document.body.prepend(linked);
  let isLinked = false;
  let order = '';

  function show() {
    const { q, sort, ...facets } = Object.fromEntries(new FormData(form));
    const chosen = Object.entries(facets).filter(([, value]) => value !== '');
    const wanted = q.trim().toLowerCase();
    const isFiltered = chosen.length + wanted.length > 0;
    const fits = (row) =>
      row.node.dataset.kept === 'always' ||
      (isLinked && row.node.dataset.kept === 'link') ||
      (chosen.every(([facet, value]) => valuesOf(row, facet).includes(value)) &&
        (wanted === '' || textOf(row).includes(wanted)));
    for (const list of lists) {
      if (sort !== order) arrange(list, ORDERS[sort][1]);
      filter(list, fits);
    }
    order = sort;
    for (const part of parts) {
      const isEmpty = lists.every(({ node, shown }) => shown.length === 0 || !part.contains(node));
      part.hidden = isEmpty && !('kept' in part.dataset);
      // A match must not stay folded.
      if (!isEmpty && isFiltered && part.localName === 'details') part.open = true;
    }
    const number = lists.reduce((sum, { shown }) => sum + shown.length, 0);
    said.value = `${number === all.length ? '' : `${number} of `}${all.length} ${all.length === 1 ? 'row' : 'rows'}`;
    isLinked &&= isFiltered;
    linked.hidden = !isLinked;
    told.textContent = isLinked
      ? `Filtered by the link: ${number} of ${all.length} rows shown. Problems and warnings are always shown.`
      : '';
  }

  /** Hidden rows stay where they are: to move thousands of rows takes seconds. */
  function filter(list, fits) {
    list.shown = [];
    for (const { node, rows } of list.chunks) {
      const shown = rows.filter((row) => {
        const isShown = fits(row);
        if (row.node.hidden === isShown) row.node.hidden = !isShown;
        return isShown;
      });
      node.hidden = shown.length === 0;
      list.shown.push(...shown);
    }
  }

  function arrange(list, keyOf) {
    const keys = new Map(list.rows.map((row) => [row, keyOf(row)]));
    const compare = (a, b) =>
      keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : a.place - b.place;
    list.chunks = chunksOf(list.rows.toSorted(compare));
    for (const { node, rows } of list.chunks) node.append(...rows.map((row) => row.node));
    list.node.replaceChildren(...list.chunks.map(({ node }) => node));
  }

  function chunksOf(rows) {
    return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) => ({
      node: make('ul', []),
      rows: rows.slice(at * CHUNK, (at + 1) * CHUNK),
    }));
  }

  function openAll(open) {
    for (const part of document.querySelectorAll('details.part')) part.open = open;
    for (const { shown } of lists)
      for (const { node } of shown)
        if (node.firstElementChild.localName === 'details') node.firstElementChild.open = open;
  }

  function remember() {
    const chosen = [...new FormData(form)].filter(([, value]) => value !== '');
    history.replaceState(null, '', `#${new URLSearchParams(chosen)}`);
    show();
  }

  function recall() {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const field of form.elements) {
      if (field.name === '') continue;
      const value = chosen.get(field.name) ?? '';
      const isKnown =
        field.options === undefined || [...field.options].some((option) => option.value === value);
      field.value = isKnown ? value : '';
    }
    isLinked = true;
    show();
  }

  let waiting;
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    // With many rows, not every keystroke starts a search.
    waiting = setTimeout(remember, all.length > 5_000 ? 250 : 0);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('click', ({ target }) => {
    if (target.localName === 'button') openAll(target.value === 'open');
  });
  linked.addEventListener('click', ({ target }) => {
    if (target.localName !== 'button') return;
    for (const field of form.elements) if (field.name !== '') field.value = '';
    remember();
    form.elements.q.focus();
  });
  addEventListener('hashchange', recall);
  addEventListener('beforeprint', () => openAll(true));
  recall();
})();
