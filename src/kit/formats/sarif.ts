import { isGood } from '../../core/model/exit-codes.ts';
import {
  type FindingsDocument,
  type FormatFinding,
  fingerprints,
  ruleText,
  saidIn,
  someplace,
} from '../../core/render/finding.ts';
import { jsonText } from '../../core/render/result.ts';
import { visible } from '../../core/render/untrusted.ts';

/** SARIF 2.1.0 (OASIS), one run, with everything that GitHub's code scanning requires. Paths are relative to the repository. */
export function sarifText(document: FindingsDocument): string {
  const { command, exitCode, findings, version, root } = document;
  const { completed = isGood(exitCode) } = document;
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const marks = fingerprints(document);
  const folders = root === undefined || root.folder === '' ? [] : root.folder.split('/').map(visible);
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
        automationDetails: { id: `${['tradeform', command, ...folders].join('/')}/` },
        invocations: [{ executionSuccessful: completed, exitCode }],
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: rules.indexOf(finding.rule),
          level: finding.level,
          // `[text](target)` would be a link. Text of others must not create links.
          message: {
            text: saidIn(finding)
              .map((text) => visible(text).replaceAll('](', '] ('))
              .join('\n'),
          },
          locations: [locationOf(finding, document)],
          partialFingerprints: { 'tradeform/v1': marks[index] },
        })),
      },
    ],
  });
}

function ruleDescriptor(rule: string, document: FindingsDocument) {
  const line = ruleText(document, rule);
  const more = document.rules.has(rule)
    ? ''
    : `See docs/reference/codes/${rule}.md or \`tradeform explain ${rule}\`.`;
  const text = [line, more].filter((part) => part !== '').join(' ') || rule;
  return { id: rule, shortDescription: { text: line || rule }, help: { text } };
}

function locationOf(finding: FormatFinding, document: FindingsDocument) {
  const { file, line, column } = someplace(finding, document);
  // A file name can contain a lone surrogate, which UTF-8 cannot encode.
  const segments = file.split('/').map((name) => encodeURIComponent(name.replace(/\p{Cs}/gu, '\ufffd')));
  return {
    physicalLocation: {
      artifactLocation: { uri: segments.join('/') },
      region: { startLine: line, startColumn: column },
    },
    ...(finding.address === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: visible(finding.address) }] }),
  };
}
