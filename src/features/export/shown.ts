import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { count, paragraph } from '../../render/layout.ts';
import { resultDocument } from '../../render/result.ts';
import { visible } from '../../render/untrusted.ts';
import type { ExportResult } from './make.ts';
import type { ExportPlace } from './place.ts';
import { fileOf } from './placed.ts';

/** What the options say about the output. */
interface Shown {
  readonly out?: string;
  readonly grouped?: boolean;
}

/** What the user must know before using the manifests: what they cannot express, and what the next plan would do. */
export function exportDiagnostics(result: ExportResult, { out }: Shown): readonly Diagnostic[] {
  const { leftOut, documents, foretold } = result;
  return [
    ...leftOut.map(
      ({ address, id, text, partly }): Diagnostic => ({
        severity: 'warning',
        code: 'export-left-out',
        address,
        message: `${address} (${id}) is ${partly === true ? 'exported partly' : 'not exported'}: ${text.replace(/\.$/, '')}`,
      }),
    ),
    ...documents
      .filter(({ altered }) => altered.length > 0)
      .map(
        ({ address, altered }): Diagnostic => ({
          severity: 'info',
          code: 'export-altered',
          address,
          message: `${address}: ${altered.join(', ')} cannot be written as stored; see the comments in its manifest`,
        }),
      ),
    // Printed manifests are a part of an unknown project.
    ...(out === undefined ? [] : foretold.others).map(
      ({ address, actions }): Diagnostic => ({
        severity: 'warning',
        code: 'export-differs',
        address,
        message: `the next plan would ${actions.join(' and ')} ${address}`,
        hint: 'Review it with `tradeform plan` before you apply.',
      }),
    ),
    ...(out === undefined ? [] : foretold.blocked).map(
      ({ address, text }): Diagnostic => ({
        severity: 'warning',
        code: 'export-differs',
        address,
        message: `${address} is blocked: ${text}`,
      }),
    ),
  ];
}

/** The files, one on each line. */
export function written({ existing }: ExportPlace, files: ReadonlyMap<string, string>): string {
  if (files.size === 0) return 'Nothing to write: the manifests match the live state.\n';
  return [...files.keys()]
    .map((file) => `${existing?.sources.has(file) === true ? 'updated' : 'created'}  ${visible(file)}\n`)
    .join('');
}

export function summary(
  { documents, updated, leftOut, foretold, passedOver }: ExportResult,
  columns: number,
): string {
  const tasks = documents.filter(({ manifest }) =>
    TASK_KINDS.some((kind) => kind.manifestKind === manifest.kind),
  ).length;
  const others = documents.length - tasks;
  const beside = others === 0 ? '' : ` and ${count(others, 'other manifest')}`;
  const parts = [
    `${count(tasks, 'task')}${beside} exported`,
    ...(updated.length === 0 ? [] : [`${updated.length} updated`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
    ...(passedOver === 0 ? [] : [`${count(passedOver, 'task')} of other owners not selected`]),
  ];
  const next = [
    `adopt ${count(foretold.adopted.length, 'task')}`,
    ...(foretold.marks.length === 0 ? [] : [`bring ${count(foretold.marks.length, 'mark')} up to date`]),
    ...(foretold.others.length === 0 ? [] : [`change ${foretold.others.length} more`]),
  ];
  return paragraph(`${parts.join(', ')}. The next plan would ${next.join(', ')}.`, columns);
}

export function documentOf(
  place: ExportPlace,
  result: ExportResult,
  files: ReadonlyMap<string, string>,
  { out, grouped }: Shown,
  exitCode: number,
  said: readonly Diagnostic[],
): object {
  const placement = { folder: place.folder, grouped: grouped === true };
  const { foretold } = result;
  const addresses = (changes: readonly { readonly address: string }[]) =>
    changes.map(({ address }) => address);
  return {
    ...resultDocument('export', exitCode, said),
    project: place.name,
    manifests: result.documents.map((one) => ({
      address: one.address,
      id: one.id,
      ...(out === undefined ? { manifest: one.manifest } : { file: fileOf(one, placement) }),
      notes: one.notes,
    })),
    files: out === undefined ? [] : [...files.keys()],
    updated: result.updated,
    left_out: result.leftOut,
    next_plan: {
      adopt: addresses(foretold.adopted),
      marks: addresses(foretold.marks),
      other: addresses(foretold.others),
      blocked: addresses(foretold.blocked),
      held: foretold.held,
    },
  };
}
