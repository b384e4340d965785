import { jsonText } from '../result.ts';
import { visible } from '../untrusted.ts';
import {
  type FindingsDocument,
  type FormatFinding,
  fingerprints,
  isCompleted,
  ruleText,
  someplace,
} from './finding.ts';

/** SARIF 2.1.0 (OASIS), one run, with everything that GitHub's code scanning requires. Paths are relative to the repository. */
export function sarifText(document: FindingsDocument): string {
  const { command, exitCode, findings, version, root } = document;
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const marks = fingerprints(document);
  return jsonText({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tradeform',
            ...(version === undefined ? {} : { version, semanticVersion: version }),
            rules: rules.map((rule) => ruleDescriptor(rule, document)),
          },
        },
        // This distinguishes runs of other commands and projects in one repository.
        automationDetails: { id: `${['tradeform', command, ...folders(root?.folder)].join('/')}/` },
        invocations: [{ executionSuccessful: isCompleted(document), exitCode }],
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: rules.indexOf(finding.rule),
          level: finding.level,
          message: { text: messageText(finding) },
          locations: [locationOf(finding, document)],
          partialFingerprints: { 'tradeform/v1': marks[index] },
        })),
      },
    ],
  });
}

function folders(folder = ''): readonly string[] {
  return folder === '' ? [] : folder.split('/').map(visible);
}

function ruleDescriptor(rule: string, document: FindingsDocument) {
  const line = ruleText(document, rule);
  const more = document.rules.has(rule)
    ? ''
    : `See docs/reference/codes/${rule}.md or \`tradeform explain ${rule}\`.`;
  const text = [line, more].filter((part) => part !== '').join(' ') || rule;
  return { id: rule, shortDescription: { text: line || rule }, help: { text } };
}

/** In a SARIF message, `[text](target)` is a link. Text of others must not create links. */
function messageText({ message, hint }: FormatFinding): string {
  return [message, ...(hint === undefined ? [] : [hint])]
    .map((text) => visible(text).replaceAll('](', '] ('))
    .join('\n');
}

function locationOf(finding: FormatFinding, document: FindingsDocument) {
  const { file, line, column } = someplace(finding, document);
  return {
    physicalLocation: {
      artifactLocation: { uri: file.split('/').map(uriSegment).join('/') },
      region: { startLine: line, startColumn: column },
    },
    ...(finding.address === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: visible(finding.address) }] }),
  };
}

/** A file name can contain a lone surrogate, which UTF-8 cannot encode. */
function uriSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'));
}
