import { describe, expect, test } from 'vitest';
import { copyTrade, sniper, WALLETS } from '../../manifest/samples.ts';
import fc from '../../properties.ts';
import { compileFiles, type Files, placeOf, stateOf, told } from './project.ts';

const CONFIG = sniper({ amount: '${row.size}' });
const BODY = CONFIG.slice(CONFIG.indexOf('  config:')).replace(/^/gm, '    ').trimEnd();

function set(rows: string, { name = 'many', metadata = '', spec = '' } = {}): string {
  return `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: ${name} }
spec:
  for: sniper
${rows}  task:
${metadata}    spec:
      state: active
      target_wallet: \${row.wallet}
${spec}${BODY}
`;
}

const ROWS = `  rows:
    - { name: one, wallet: ${WALLETS[0]}, size: 0.10 }
    - { name: two, wallet: ${WALLETS[1]}, size: "2" }
`;
const CSV = `name,wallet,size,buy_once,note
one,${WALLETS[0]},0.10,true,"First, of all"
two,${WALLETS[1]},2,false,
`;

function table(csv: string, more: Partial<Files> = {}): Files {
  const spec = '      remark: ${row.note}\n';
  const body = set('  rows_from: rows.csv\n', { spec }).replace(
    'selected_dexes',
    'buy_once: ${row.buy_once}\n        selected_dexes',
  );
  return { files: { 'manifests/set.yaml': body, 'manifests/rows.csv': csv }, ...more };
}

describe('task sets', () => {
  test('make a task of each row', () => {
    const { tasks } = stateOf({ files: { 'manifests/set.yaml': set(ROWS) } });
    expect(
      tasks.map(({ address, target_wallet, config }) => [address, target_wallet, config.buy_amount]),
    ).toEqual([
      ['sniper/one', WALLETS[0], '0.10'],
      ['sniper/two', WALLETS[1], '2'],
    ]);
  });

  test('the place of a field is its row, or the body', () => {
    const files = { 'manifests/set.yaml': set(ROWS) };
    const two = stateOf({ files }).tasks[1];
    if (two === undefined) throw new Error('no task');
    expect(placeOf(two, 'config.buy_amount')).toBe('manifests/set.yaml:8:80');
    expect(placeOf(two, 'target_wallet')).toBe('manifests/set.yaml:8:28');
    expect(placeOf(two, 'state')).toBe('manifests/set.yaml:11:14');
  });

  test('rows of a CSV file take the types of their fields; an empty cell leaves the field out', () => {
    const { tasks } = stateOf(table(CSV));
    expect(tasks.map(({ note, config }) => [note, config.buy_amount, config.buy_once])).toEqual([
      ['First, of all', '0.10', true],
      ['', '2', false],
    ]);
    const [one] = tasks;
    if (one === undefined) throw new Error('no task');
    expect(placeOf(one, 'config.buy_amount')).toBe('manifests/rows.csv:2:50');
    expect(placeOf(one, 'remark')).toBe('manifests/rows.csv:2:60');
  });

  test('a wrong value is reported at its cell', () => {
    const texts = told(compileFiles(table(CSV.replace('0.10', '1e3').replace('false', 'no'))).diagnostics);
    expect(texts).toEqual([
      expect.stringMatching(/^invalid-decimal manifests\/rows\.csv:2:50 /),
      expect.stringMatching(/^wrong-type manifests\/rows\.csv:3:52 spec\.config\.buy_once is the text "no"/),
    ]);
  });

  test('names are checked like all others', () => {
    const rows = `  rows:
    - { name: one, wallet: ${WALLETS[0]}, size: 1 }
    - { name: one, wallet: ${WALLETS[1]}, size: 1 }
    - { name: No Name, wallet: ${WALLETS[2]}, size: 1 }
`;
    expect(told(compileFiles({ files: { 'manifests/set.yaml': set(rows) } }).diagnostics)).toEqual([
      expect.stringMatching(
        /^duplicate-name manifests\/set\.yaml:8:15 two manifests have the address sniper\/one/,
      ),
      expect.stringMatching(/^invalid-name manifests\/set\.yaml:9:15 /),
    ]);
  });

  test('the body can compose the name, what is extended, and annotations', () => {
    const spec = '      extends: [base, "${row.tier}"]\n';
    const metadata = '    metadata: { name: "s-${row.name}", annotations: { of: "${row.tier}" } }\n';
    const rows = ROWS.replaceAll(' }\n', ', tier: low }\n').replace('low', 'high');
    const preset = (name: string, slippage: number) =>
      `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: ${name} }\nspec: { for: sniper, config: { relay_mode: { slippage: ${slippage} } } }\n`;
    const files = {
      'manifests/set.yaml': set(rows, { metadata, spec })
        .replace(/^ +relay_mode:.*\n/m, '')
        .replaceAll('\n\n', '\n'),
      'manifests/bases.yaml': [
        preset('low', 5),
        preset('high', 40),
        preset('base', 1).replace('slippage: 1', 'tip_amount: 0, priority_fee: 0'),
      ].join('---\n'),
    };
    const { tasks } = stateOf({ files });
    expect(tasks.map(({ name, config }) => [name, config.relay_mode])).toEqual([
      ['s-one', expect.objectContaining({ slippage: '40', tip_amount: '0' })],
      ['s-two', expect.objectContaining({ slippage: '5', tip_amount: '0' })],
    ]);
  });

  test('a missing column, an unused one, duplicate rows and no rows', () => {
    const missing = ROWS.replace(', size: "2"', '');
    expect(told(compileFiles({ files: { 'manifests/set.yaml': set(missing) } }).diagnostics)).toEqual([
      expect.stringMatching(/^unknown-variable manifests\/set\.yaml:14:21 the rows have no column size/),
    ]);
    const unused = ROWS.replace('size: 0.10', 'size: 0.10, siez: 3');
    expect(told(compileFiles({ files: { 'manifests/set.yaml': set(unused) } }).diagnostics)).toEqual([
      expect.stringMatching(/^column-unused manifests\/set\.yaml:7:86 /),
    ]);
    const both = { 'manifests/set.yaml': set(`${ROWS}  rows_from: rows.csv\n`), 'manifests/rows.csv': CSV };
    expect(told(compileFiles({ files: both }).diagnostics)).toEqual([
      expect.stringMatching(/^rows-missing .*9:3 /),
    ]);
    expect(told(compileFiles({ files: { 'manifests/set.yaml': set('') } }).diagnostics)).toEqual([
      expect.stringMatching(/^rows-missing /),
    ]);
  });

  test('one copy-trade target in two rows is reported at the second', () => {
    const config = copyTrade();
    const body = config.slice(config.indexOf('  config:')).replace(/^/gm, '    ').trimEnd();
    const text = `apiVersion: tradeform/v1
kind: TaskSet
metadata: { name: many }
spec:
  for: copy-trade
  rows:
    - { name: one, wallet: ${WALLETS[0]} }
    - { name: two, wallet: ${WALLETS[0]} }
  task:
    spec:
      state: active
      target_wallet: \${row.wallet}
${body}
`;
    expect(told(compileFiles({ files: { 'manifests/set.yaml': text } }).diagnostics)).toEqual([
      expect.stringMatching(/^duplicate-target manifests\/set\.yaml:8:28 /),
    ]);
  });

  test('a table outside the project is refused, and a missing one reported', () => {
    const outside = { 'manifests/set.yaml': set('  rows_from: ../../rows.csv\n') };
    expect(told(compileFiles({ files: outside }).diagnostics)).toEqual([
      expect.stringMatching(/^file-outside-project manifests\/set\.yaml:6:14 /),
    ]);
    const absent = { 'manifests/set.yaml': set('  rows_from: rows.csv\n') };
    expect(told(compileFiles({ files: absent }).diagnostics)).toEqual([
      expect.stringMatching(/^file-unreadable manifests\/set\.yaml:6:14 /),
    ]);
  });

  test('amounts keep their text through CSV, and through rows', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: 0n, max: 999_999n }), fc.stringMatching(/^[0-9]{1,12}$/))
      .map(([whole, fraction]) => `${whole}.${fraction}`)
      .filter((text) => /[1-9]/.test(text));
    fc.assert(
      fc.property(amount, (text) => {
        const amounts = [
          stateOf(table(CSV.replace('0.10', text))).tasks[0],
          stateOf({ files: { 'manifests/set.yaml': set(ROWS.replace('0.10', text)) } }).tasks[0],
        ].map((task) => task?.config.buy_amount);
        expect(amounts).toEqual([text, text]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('CSV', () => {
  test.each([
    ['an empty file', '', /^csv-syntax manifests\/rows\.csv:1:1 the table is empty/],
    ['semicolons', 'name;wallet;size\n', /^csv-syntax .*semicolons/],
    ['a header twice', 'name,name\n', /^csv-syntax manifests\/rows\.csv:1:6 the column name appears twice/],
    ['a row that is too short', `${CSV}three\n`, /^csv-syntax manifests\/rows\.csv:4:1 the row has 1 cells/],
    [
      'a quote that does not end',
      `${CSV}"three`,
      /^csv-syntax manifests\/rows\.csv:4:1 a quoted value has no closing quote/,
    ],
    ['a quote inside', CSV.replace('one', 'o"ne'), /^csv-syntax manifests\/rows\.csv:2:1 a quote inside/],
    [
      'text after a quote',
      CSV.replace('"First, of all"', '"First" of'),
      /^csv-syntax .*text after a quoted value/,
    ],
    ['tabs', 'name\twallet\tsize\none\t"x"\t1\n', /^csv-syntax .*:1:1 the columns are separated by tabs/],
    [
      'a line that names the separator',
      `sep=,\n${CSV}`,
      /^csv-syntax .*:1:1 the first line names a separator/,
    ],
    [
      'a separator and semicolons',
      'sep=;\nname;size\n',
      /^csv-syntax .*:1:1 the first line names a separator/,
    ],
    ['a comment above the columns', `# whales, all\n${CSV}`, /^csv-syntax .*:1:1 a table has no comments/],
    ['a comment', `${CSV}# whales, all\n`, /^csv-syntax .*:4:1 a table has no comments \(remove the line\)/],
    ['a comment in its cell', `${CSV}# whales,,,,\n`, /^csv-syntax .*:4:1 a table has no comments/],
    ['a row behind a #', `${CSV}#${CSV.split('\n')[1]}\n`, /^csv-syntax .*:4:1 a table has no comments/],
    [
      'a column without a name',
      CSV.replaceAll(/$/gm, ',x').replace(',x', ','),
      /^csv-syntax .*:1:32 a column with/,
    ],
    ['a bad name', CSV.replace('one', 'One'), /^invalid-name manifests\/rows\.csv:2:1 .*did you mean one\?/],
    [
      'no name',
      CSV.replace('two', ''),
      /^missing-field .*:3:1 metadata has no name \(the cell is empty, .* name\)/,
    ],
    [
      'a line break',
      CSV.replace('First, of', 'First\nof'),
      /^control-character .*:2:6\d a line break .*on one line/,
    ],
    ['a header alone', 'name,wallet,size,buy_once,note\n', /^rows-missing manifests\/rows\.csv:1:1 /],
  ])('%s', (_, csv, expected) => {
    expect(told(compileFiles(table(csv)).diagnostics)).toEqual([expect.stringMatching(expected)]);
  });

  test('rows and columns without text are none', () => {
    const csv = CSV.replaceAll(/^(?=\w)/gm, ',')
      .replaceAll(/,(?=note|"First|\n)/g, ',,')
      .replaceAll('\n', ',,\n');
    const spread = `,,,\n${csv},,,,,\n , ,\n"",\n`;
    const [plain, wide] = [CSV, spread].map((text) =>
      stateOf(table(text)).tasks.map(({ note, config }) => [note, config]),
    );
    expect(wide).toEqual(plain);
  });

  test('a problem of a text that holds a cell stands at the cell', () => {
    const spec = '      remark: "Follow ${row.note}"\n';
    const metadata = '    metadata: { name: "w-${row.name}" }\n';
    const rows = `name,wallet,size,note\nOne,${WALLETS[0]},1,x\ntwo,${WALLETS[1]},1,"x\ny"\n`;
    const files = {
      'manifests/set.yaml': set('  rows_from: rows.csv\n', { spec, metadata }),
      'manifests/rows.csv': rows,
    };
    expect(told(compileFiles({ files }).diagnostics)).toEqual([
      expect.stringMatching(/^invalid-name manifests\/rows\.csv:2:1 metadata\.name: "w-One"/),
      expect.stringMatching(/^control-character manifests\/rows\.csv:3:52 a line break in a name or remark/),
    ]);
  });

  test('CRLF, quotes within quotes, empty lines and line breaks within quotes', () => {
    const csv = `${CSV}\n\n`.replaceAll('\n', '\r\n').replace('"First, of all"', '"The ""first"""');
    expect(stateOf(table(csv)).tasks.map(({ note }) => note)).toEqual(['The "first"', '']);
    const broken = CSV.replace('First, of all', 'a\nb');
    expect(told(compileFiles(table(broken)).diagnostics)[0]).toMatch(/^control-character /);
  });
});

test('an empty cell of a required field is reported at the cell', () => {
  const files = table(CSV.replace(WALLETS[1], ''));
  expect(told(compileFiles(files).diagnostics)).toEqual([
    expect.stringMatching(
      /^missing-field manifests\/rows\.csv:3:5 spec has no target_wallet \(the cell is empty/,
    ),
  ]);
});

test('a missing column is reported where it is used, also under a patch', () => {
  const project = `spec:
  environments:
    production:
      base_url: https://example.invalid/v1
      patches: [{ target: "sniper/*", patch: { spec: { config: { buy_amount: 1 } } } }]
`;
  const files = { 'manifests/set.yaml': set(ROWS).replace('${row.size}', '${row.sise}') };
  const unknown = compileFiles({ project, environment: 'production', files }).diagnostics;
  expect(told(unknown.filter(({ severity }) => severity === 'error'))).toEqual([
    expect.stringMatching(/^unknown-variable manifests\/set\.yaml:14:21 the rows have no column sise/),
  ]);
});

test('only a CSV file is a table: another file would be shown in an excerpt', () => {
  const files = { 'manifests/set.yaml': set('  rows_from: ../.env\n') };
  expect(told(compileFiles({ files }).diagnostics)).toEqual([
    expect.stringMatching(/^invalid-value manifests\/set\.yaml:6:14 \.\.\/\.env is not a table/),
  ]);
});
