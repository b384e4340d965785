import { createHash } from 'node:crypto';
import { type Json, type JsonObject, objectIn, objectsIn } from '../../model/json.ts';

export const EVENTS = ['drift', 'failed', 'refused', 'left-paused', 'exposure', 'applied'] as const;
export type NotifyEvent = (typeof EVENTS)[number];

/** The situation after a run, as a message describes it. */
export interface NotifySituation {
  /** `ok` if nothing needs to be done. */
  readonly event: Exclude<NotifyEvent, 'applied'> | 'ok';
  readonly title: string;
  readonly lines: readonly string[];
  /** SHA-256 of what is wrong, without figures that change by themselves. Equal values mean the same situation. */
  readonly identity: string;
  /** Changes that this run made. */
  readonly applied: number;
}

export interface RunEnd {
  readonly command: string;
  readonly exitCode: number;
  /** The subject of the run in messages: project, environment, account. */
  readonly name: string;
}

/** The situation that the document of a command (`-o json`) and its exit code describe. */
export function situationOf(document: JsonObject, { command, exitCode, name }: RunEnd): NotifySituation {
  const { event, lines } = eventOf(document, command, exitCode);
  return {
    event,
    title: titled(name, TITLES[event](command, exitCode)),
    lines,
    identity: digestOf([event, driftIdentity(document), problemIdentity(document)]),
    applied: appliedIn(document),
  };
}

/** Whether more SOL than `limit` is at stake. Undefined if the document does not know the exposure. */
export function exposureSituation(
  document: JsonObject,
  { name }: RunEnd,
  limit: string,
): NotifySituation | undefined {
  const sol = liveExposure(document);
  if (sol === undefined) return undefined;
  const high = sol > Number(limit);
  const uncounted = objectsIn(objectIn(document.exposure).left_out).filter(
    ({ reason }) => reason === 'secret',
  );
  return {
    event: high ? 'exposure' : 'ok',
    title: titled(name, high ? 'exposure above the limit' : 'exposure within the limit'),
    lines: [
      `${sol} SOL at stake per trigger${high ? `, more than ${limit}` : ''}.`,
      ...uncounted.map(({ text }) => String(text)),
    ],
    identity: digestOf([high, limit]),
    applied: 0,
  };
}

function titled(name: string, what: string): string {
  return name === '' ? what : `${name}: ${what}`;
}

function digestOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

const TITLES: Readonly<Record<NotifySituation['event'], (command: string, exitCode: number) => string>> = {
  ok: (command) =>
    command.endsWith('drift') ? `${command}: no differences that count` : `${command} went through`,
  drift: (command) => `${command}: the service differs from git`,
  failed: (command, exitCode) => `${command} failed (exit code ${exitCode})`,
  refused: (command) => `${command} refused`,
  'left-paused': (command) => `${command} left tasks paused`,
  exposure: () => 'exposure above the limit',
};

function eventOf(
  document: JsonObject,
  command: string,
  exitCode: number,
): Pick<NotifySituation, 'event' | 'lines'> {
  const paused = objectsIn(document.left_paused).map(({ address }) => `left paused: ${address}`);
  if (paused.length > 0) return { event: 'left-paused', lines: [...paused, ...problemsIn(document)] };
  if (exitCode === 0) return { event: 'ok', lines: [] };
  // The exit code 2 of a plan means that there are changes.
  if (exitCode === 2)
    return command.endsWith('drift')
      ? { event: 'drift', lines: driftIn(document) }
      : { event: 'ok', lines: [] };
  return { event: exitCode === 4 ? 'refused' : 'failed', lines: problemsIn(document) };
}

function driftIn(document: JsonObject): readonly string[] {
  const items = objectsIn(document.items).filter(({ fails }) => fails === true);
  const units = objectsIn(document.units).filter(({ exit_code: code }) => code !== 0);
  return [
    ...items.map((item) => `${item.class}: ${item.address ?? item.id}`),
    ...units.map((unit) => `${unit.name}: ${unit.result}`),
  ];
}

/** The same tasks with the same fields have the same identity, whatever the commit and the time. */
function driftIdentity(document: JsonObject): Json {
  const items = objectsIn(document.items).filter(({ fails }) => fails === true);
  const fieldsOf = ({ fields }: JsonObject) =>
    objectsIn(fields).map(({ path, before, after }): Json => [path ?? null, before ?? null, after ?? null]);
  return [
    ...items.map((item): Json => [item.class ?? null, item.address ?? item.id ?? null, fieldsOf(item)]),
    ...objectsIn(document.units).map(
      (unit): Json => [unit.name ?? null, driftIdentity(objectIn(unit.document))],
    ),
  ];
}

function problemsIn(document: JsonObject): readonly string[] {
  const errors = objectsIn(document.diagnostics).filter(({ severity }) => severity === 'error');
  const changes = objectsIn(document.changes).filter(
    ({ status }) => status === 'failed' || status === 'unknown',
  );
  const units = objectsIn(document.units).filter(({ exit_code: code }) => code !== 0);
  return [
    ...changes.map(({ address, status }) => `${status}: ${address}`),
    ...errors.map(({ code, message }) => `${code}: ${message}`),
    ...units.map((unit) => `${unit.name}: ${unit.result}`),
  ];
}

/** Codes (the service's own too) and addresses. Messages are left out because they contain request ids. */
function problemIdentity(document: JsonObject): Json {
  const errors = objectsIn(document.diagnostics).filter(({ severity }) => severity === 'error');
  const changes = objectsIn(document.changes).filter(({ status }) => status !== 'done');
  const codesIn = (message: Json | undefined): Json => String(message).match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
  return [
    ...objectsIn(document.left_paused).map(({ address }): Json => address ?? null),
    ...changes.map(({ address, status }): Json => [status ?? null, address ?? null]),
    ...errors.map(({ code, address, message }): Json => [code ?? null, address ?? null, codesIn(message)]),
    ...objectsIn(document.units).map(
      (unit): Json => [
        unit.name ?? null,
        unit.result ?? null,
        problemIdentity({ diagnostics: unit.diagnostics ?? null }),
        problemIdentity(objectIn(unit.document)),
      ],
    ),
  ];
}

/** The number of changes that were carried out, over all units of a fleet. */
function appliedIn({ format, summary, units }: JsonObject): number {
  const own = format === 'tradeform.report/1' ? Number(objectIn(summary).done ?? 0) : 0;
  return objectsIn(units).reduce((sum, { document }) => sum + appliedIn(objectIn(document)), own);
}

/** SOL at stake. Undefined if unknown; for a fleet, if unknown for one unit. */
function liveExposure({ exposure, units }: JsonObject): number | undefined {
  const { live, before } = objectIn(exposure);
  const all = Array.isArray(units)
    ? objectsIn(units).map(({ stakes }) => objectIn(stakes).before)
    : [live ?? before];
  const sol = all.map((amount) => (typeof amount === 'string' ? Number(amount) : Number.NaN));
  const sum = Number(sol.reduce((total, one) => total + one, 0).toFixed(9));
  return all.length === 0 || Number.isNaN(sum) ? undefined : sum;
}
