import { byKey } from '../../model/by-key.ts';
import { visible } from '../untrusted.ts';
import {
  type FindingsDocument,
  type FormatFinding,
  isCompleted,
  type JunitCase,
  type JunitSuite,
} from './finding.ts';
import { placeFromRoot } from './place.ts';

type Verdict = 'failure' | 'error' | 'skipped' | undefined;

/**
 * JUnit XML as Jenkins and GitLab read it: a suite for the command, and a case for each address or file. Errors among the
 * findings of a case are its failure, and milder findings are its output. A command that did not start its work is an `error`.
 * If the exit code reports a failure, at least one case fails.
 */
export function junitText(document: FindingsDocument): string {
  const suites = honest(document.suites ?? [suiteOf(document)], document);
  const all = suites.flatMap(({ cases }) => cases);
  const xml = xmlElement(
    'testsuites',
    { name: `tradeform ${document.command}`, ...counts(all, document, false) },
    xmlBlock(
      suites.map((suite) => suiteXml(suite, document)),
      '',
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xml}\n`;
}

/** A case for each address, else for a file, else for the command itself. The command is a case even without findings. */
function suiteOf({ command, findings }: FindingsDocument): JunitSuite {
  const byName = byKey(findings, ({ address, location }) => address ?? location?.file ?? command);
  if (byName.size === 0) byName.set(command, []);
  const classname = `tradeform.${command}`;
  return {
    name: classname,
    cases: [...byName].map(([name, found]) => ({ name, classname, findings: found })),
  };
}

function honest(suites: readonly JunitSuite[], document: FindingsDocument): readonly JunitSuite[] {
  const { exitCode, command } = document;
  const failed = suites.some(({ cases }) =>
    cases.some((item) => ['failure', 'error'].includes(verdict(item, document) ?? '')),
  );
  if (failed || exitCode === 0 || exitCode === 2) return suites;
  const message = `tradeform ${command} ended with exit code ${exitCode}`;
  const name = `tradeform.${command}`;
  const said: FormatFinding = { rule: 'exit-code', level: 'error', message };
  return [...suites, { name, cases: [{ name: 'exit code', classname: name, findings: [said] }] }];
}

function verdict(item: JunitCase, document: FindingsDocument): Verdict {
  if (item.findings.some(({ level }) => level === 'error'))
    return isCompleted(document) ? 'failure' : 'error';
  return item.skipped === undefined ? undefined : 'skipped';
}

function counts(cases: readonly JunitCase[], document: FindingsDocument, skips: boolean) {
  const number = (wanted: Verdict) => cases.filter((item) => verdict(item, document) === wanted).length;
  return {
    tests: cases.length,
    failures: number('failure'),
    errors: number('error'),
    ...(skips ? { skipped: number('skipped') } : {}),
    time: 0,
  };
}

function suiteXml({ name, cases }: JunitSuite, document: FindingsDocument): string {
  const exitCode = xmlElement('property', { name: 'exit_code', value: document.exitCode });
  return xmlElement(
    'testsuite',
    { name: visible(name), ...counts(cases, document, true) },
    xmlBlock(
      [xmlElement('properties', {}, [exitCode]), ...cases.map((item) => caseXml(item, document))],
      '  ',
    ),
  );
}

function caseXml(item: JunitCase, document: FindingsDocument): string {
  const errors = item.findings.filter(({ level }) => level === 'error');
  const others = item.findings.filter(({ level }) => level !== 'error');
  const result = verdict(item, document);
  const output = [
    ...(item.text === undefined || item.text === '' ? [] : [xmlText(visible(item.text))]),
    ...others.flatMap((finding) => findingLines(finding, document)),
  ];
  const parts = [
    ...(result === 'skipped' ? [xmlElement('skipped', { message: visible(item.skipped ?? '') })] : []),
    ...(result === 'failure' || result === 'error' ? [failureXml(result, errors, document)] : []),
    ...(output.length === 0 ? [] : [xmlElement('system-out', {}, [output.join('\n')])]),
  ];
  return xmlElement(
    'testcase',
    { name: visible(item.name), classname: visible(item.classname), time: 0 },
    xmlBlock(parts, '    '),
  );
}

/** One failure for each case, because readers treat several failures differently. */
function failureXml(
  name: 'failure' | 'error',
  errors: readonly FormatFinding[],
  document: FindingsDocument,
): string {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return xmlElement(name, { type: first?.rule, message: `${visible(first?.message ?? '')}${more}` }, [
    errors.flatMap((finding) => findingLines(finding, document)).join('\n'),
  ]);
}

/** Lines of XML text. */
function findingLines(finding: FormatFinding, document: FindingsDocument): readonly string[] {
  const { rule, level, message, hint } = finding;
  const place = placeFromRoot(finding, document);
  return [
    `${level}[${rule}]: ${visible(message)}`,
    ...(place === undefined ? [] : [`  at ${visible(place.file)}:${place.line}:${place.column}`]),
    ...(hint === undefined ? [] : [`  hint: ${visible(hint)}`]),
  ].map(xmlText);
}

/** Characters that XML 1.0 cannot express, not even as a reference. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text for an attribute, or for one line of an element. */
function xmlText(text: string): string {
  return text
    .replace(ILLEGAL, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character] ?? character);
}

/** An element. `content` must already be XML. Without content the element is empty. */
function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: readonly string[] = [],
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  const start = `<${name}${written.join('')}`;
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`;
}

/** Elements below each other, indented by one more step. */
function xmlBlock(elements: readonly string[], indent: string): readonly string[] {
  if (elements.length === 0) return [];
  return [`\n${elements.map((element) => `${indent}  ${element}`).join('\n')}\n${indent}`];
}
