import { describe, expect, it } from 'vitest';
import type { FindingsDocument, FormatFinding } from '../../../src/render/formats/finding.ts';
import { junitText } from '../../../src/render/formats/junit.ts';
import fc from '../../properties.ts';
import { documentOf, errorAt, hostileDocument } from './hostile.ts';
import { junitProblems } from './validators.ts';

/** The tags of a file in order, with attributes as they are written. */
function tags(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}( [^>]*?)?/?>`, 'g'))].map(([, attributes = '']) =>
    attributes.trim(),
  );
}

async function valid(document: FindingsDocument): Promise<string> {
  const xml = junitText(document);
  expect(await junitProblems([xml])).toEqual([]);
  return xml;
}

const WARNING: FormatFinding = { rule: 'slippage-inert', level: 'warning', message: 'slippage is inert' };

describe('the schema', () => {
  it('refuses what is no JUnit', async () => {
    const testsuite = '<testsuite name="x" tests="0" failures="0" errors="0"/>';
    expect(await junitProblems([`<testsuites>${testsuite}</testsuites>`])).toEqual([]);
    expect(await junitProblems(['<testsuites><testcase name="x"/></testsuites>'])).not.toEqual([]);
    expect(await junitProblems(['<testsuites></testsuite>'])).not.toEqual([]);
    expect(await junitProblems([`<testsuites>\u0001${testsuite}</testsuites>`])).not.toEqual([]);
  });
});

describe('a JUnit file', () => {
  it('has a case for each address, else for each file; errors are failures, milder findings are output', async () => {
    const xml = await valid(
      documentOf(
        [
          errorAt('a.yaml', 3, { address: 'sniper/a', hint: 'Write active.' }),
          errorAt('a.yaml', 7, { address: 'sniper/a' }),
          errorAt('b.yaml', 1),
          { ...WARNING, address: 'sniper/c', location: { file: 'c.yaml', line: 2, column: 1 } },
        ],
        { completed: true, root: { folder: 'desk', projectFile: 'tradeform.yaml' } },
      ),
    );
    expect(tags(xml, 'testsuites')).toEqual([
      'name="tradeform validate" tests="3" failures="2" errors="0" time="0"',
    ]);
    expect(tags(xml, 'testsuite')).toEqual([
      'name="tradeform.validate" tests="3" failures="2" errors="0" skipped="0" time="0"',
    ]);
    expect(tags(xml, 'testcase').map((text) => text.split(' ')[0])).toEqual([
      'name="sniper/a"',
      'name="b.yaml"',
      'name="sniper/c"',
    ]);
    expect(tags(xml, 'failure')[0]).toBe(
      'type="invalid-value" message="spec.state: &quot;on&quot; is not allowed (and 1 more)"',
    );
    expect(xml).toContain('\n  at desk/a.yaml:3:5\n  hint: Write active.\nerror[invalid-value]: ');
    expect(xml).toMatch(
      /<system-out>warning\[slippage-inert\]: slippage is inert\n {2}at desk\/c\.yaml:2:1</,
    );
    expect(tags(xml, 'property')).toEqual(['name="exit_code" value="3"']);
  });

  it('has one case without findings', async () => {
    const xml = await valid(documentOf([], { exitCode: 0 }));
    expect(tags(xml, 'testcase')).toEqual(['name="validate" classname="tradeform.validate" time="0"']);
    expect(tags(xml, 'testsuite')[0]).toContain('tests="1" failures="0" errors="0"');
  });

  it('calls it an error if the command did not start its work', async () => {
    const xml = await valid(documentOf([{ rule: 'token-missing', level: 'error', message: 'no token' }]));
    expect(tags(xml, 'testsuite')[0]).toContain('failures="0" errors="1"');
    expect(tags(xml, 'error')).toEqual(['type="token-missing" message="no token"']);
  });

  it('is not green if the exit code reports a failure, whatever was found', async () => {
    const suites = [{ name: 'tradeform.plan', cases: [{ name: 'a', classname: 'x', findings: [WARNING] }] }];
    const files = [1, 3, 4, 130].flatMap((exitCode) =>
      [
        { document: documentOf([], { exitCode }), bad: 'failures="0" errors="1"' },
        { document: documentOf([WARNING], { exitCode }), bad: 'failures="0" errors="1"' },
        { document: documentOf([], { exitCode, suites, completed: true }), bad: 'failures="1" errors="0"' },
      ].map(({ document, bad }) => ({ exitCode, bad, xml: junitText(document) })),
    );
    expect(await junitProblems(files.map(({ xml }) => xml))).toEqual([]);
    for (const { exitCode, bad, xml } of files) {
      expect(tags(xml, 'testsuites')[0]).toContain(bad);
      expect(xml).toContain(`ended with exit code ${exitCode}`);
    }
  });

  it.each([0, 2])('stays green with exit code %s and no error', (exitCode) => {
    const xml = junitText(documentOf([WARNING], { exitCode }));
    expect(tags(xml, 'testsuites')[0]).toContain('failures="0" errors="0"');
  });

  it('says why a case was skipped, and what it would do', async () => {
    const cases = [
      {
        name: 'sniper/a',
        classname: 'x',
        findings: [],
        skipped: 'held: stopped <by hand>',
        text: 'tip & fee',
      },
    ];
    const xml = await valid(documentOf([], { exitCode: 0, suites: [{ name: 's', cases }] }));
    expect(tags(xml, 'skipped')).toEqual(['message="held: stopped &lt;by hand&gt;"']);
    expect(tags(xml, 'testsuite')[0]).toContain('skipped="1"');
    expect(xml).toContain('<system-out>tip &amp; fee</system-out>');
  });

  it('is well-formed and valid whatever the texts are, and has no line that a runner would execute', async () => {
    const files = fc.sample(hostileDocument, { numRuns: 300, seed: 7 }).map(junitText);
    expect(await junitProblems(files)).toEqual([]);
    for (const file of files) expect(file).not.toMatch(/^\s*::/m);
  });

  it('counts its content correctly', () => {
    fc.assert(
      fc.property(hostileDocument, (document) => {
        const xml = junitText(document);
        const [all = ''] = tags(xml, 'testsuites');
        const number = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(all)?.[1]);
        expect(number('tests')).toBe(tags(xml, 'testcase').length);
        expect(number('failures')).toBe(tags(xml, 'failure').length);
        expect(number('errors')).toBe(tags(xml, 'error').length);
        const healthy = document.exitCode === 0 || document.exitCode === 2;
        if (!healthy) expect(number('failures') + number('errors')).toBeGreaterThan(0);
      }),
    );
  });
});
