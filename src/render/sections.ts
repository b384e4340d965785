import { byKey } from '../model/by-key.ts';
import type { Field, Left, Override, PlanDiagnostic } from '../model/generated/plan.ts';
import { placeText } from './differences.ts';
import { count } from './layout.ts';
import type { Row, Section } from './view.ts';

/** Sections that several documents share. A section without rows is left out. */

export function section(rows: readonly Row[], about: Omit<Section, 'rows'>): readonly Section[] {
  return rows.length === 0 ? [] : [{ ...about, rows }];
}

/** More names in one row could only be cut together. */
const MOST_TOGETHER = 20;

/** Rows that say the same of different names, as one. Such rows differ in their request ids at most. */
export function together(rows: readonly Row[]): readonly Row[] {
  const same = byKey(rows, (row) => JSON.stringify({ ...row, names: [], size: 0, requests: [] }));
  return [...same.values()].flatMap((equal) =>
    Array.from({ length: Math.ceil(equal.length / MOST_TOGETHER) }, (_, at): Row => {
      const some = equal.slice(at * MOST_TOGETHER, (at + 1) * MOST_TOGETHER);
      return {
        ...(some[0] ?? { text: '' }),
        names: some.flatMap(({ names }) => names),
        size: some.reduce((sum, { size = 1 }) => sum + size, 0),
      };
    }),
  );
}

/** The fields that are shown without details. */
export function briefFields({ fields = [], told = [] }: Row): readonly Field[] {
  return fields.filter(({ path }) => !told.includes(path));
}

/** `request 1f2e…`, `requests of sniper/alpha 1f2e…, 2a3b…`. */
export function requestLines({ names, requests = [] }: Row): readonly string[] {
  if (requests.length === 0) return [];
  const [first = ''] = names;
  const others = names.length > 1 ? `; of ${names.length - 1} more with -o json` : '';
  const whose = others === '' ? '' : ` of ${first}`;
  return [`${requests.length === 1 ? 'request' : 'requests'}${whose} ${requests.join(', ')}${others}`];
}

/** One misspelt label can be wrong in a thousand tasks, and a reader needs only a few of the places. */
const MOST_TOLD = 5;

export const WARNINGS_TITLE = 'Warnings';

/** Errors, warnings and notes. Equal ones about different addresses share a row. */
export function noteSections(diagnostics: readonly PlanDiagnostic[]): readonly Section[] {
  const of = (wanted: PlanDiagnostic['severity']) =>
    diagnostics.filter(({ severity }) => severity === wanted);
  return [
    ...noteSection(of('error'), { title: 'Errors', tone: 'error', weight: 90, unit: ['error', 'errors'] }),
    ...noteSection(of('warning'), {
      title: WARNINGS_TITLE,
      tone: 'warn',
      weight: 55,
      unit: ['warning', 'warnings'],
    }),
    ...noteSection(of('info'), {
      title: 'Notes',
      tone: 'dim',
      weight: 20,
      unit: ['note', 'notes'],
      shown: 'collapsed',
    }),
  ];
}

export function noteSection(
  diagnostics: readonly PlanDiagnostic[],
  about: Omit<Section, 'rows'>,
): readonly Section[] {
  const same = byKey(diagnostics, ({ severity, code, message, hint, address, provenance }) =>
    JSON.stringify([severity, code, withoutAddress(message, address), hint, provenance]),
  );
  return section([...same.values()].map(noteRow), about);
}

/** The common message of many diagnostics, without the address. */
function withoutAddress(message: string, address: string | undefined): string {
  return address === undefined ? message : message.replaceAll(address, '…').replace(/^…:? /, '');
}

function noteRow(same: readonly PlanDiagnostic[]): Row {
  const [first] = same;
  if (first === undefined) return { names: [], text: '' };
  const { severity, code, message, hint, address, provenance } = first;
  const places = same.flatMap(({ location }) => (location === undefined ? [] : [placeText(location)]));
  const more = same.length - MOST_TOLD;
  const names = [...new Set(same.flatMap((item) => item.address ?? []))];
  const whole = same.length === 1 && address !== undefined && message.includes(address);
  return {
    code: [severity === 'info' ? 'note' : severity, code],
    names: whole ? [] : names.slice(0, MOST_TOLD),
    beside: more > 0 ? ` and ${more} more` : '',
    text: whole ? message : withoutAddress(message, address),
    places: places.slice(0, MOST_TOLD),
    below: [
      ...(provenance === 'before' ? ['Already so before this change.'] : []),
      ...(hint === undefined ? [] : [hint]),
    ],
    size: same.length,
  };
}

/** Guardrails that --override allowed for this plan. */
export function overridesSection(
  overrides: readonly Pick<Override, 'guardrail' | 'findings'>[] = [],
): readonly Section[] {
  const rows = overrides.map(({ guardrail, findings }): Row => {
    return { sign: '!', tone: 'warn', names: [guardrail], text: count(findings, 'finding') };
  });
  return section(rows, {
    title: 'Allowed by --override, for this plan only',
    tone: 'warn',
    weight: 88,
    unit: ['guardrail allowed', 'guardrails allowed'],
  });
}

/** What `--only` leaves, with its fields (live → git) and the two ways to resolve it. */
export function leftSection(left: readonly Left[] = []): readonly Section[] {
  const rows = left.map(({ address, running, text, fields }) => ({
    sign: '·',
    names: [address],
    beside: running ? ' (running)' : '',
    text: text ?? '',
    below: [...new Set(fields.map((field) => field.text))],
    fields,
  }));
  return section(rows, {
    title: 'Left as they are on the service',
    tone: 'warn',
    ways: [
      'To accept these differences in git: `tradeform export --out .`. To undo them on the service: apply without `--only`, for a single address with `--target ADDRESS`.',
    ],
    weight: 74,
    unit: ['address that is left', 'addresses that are left'],
  });
}
