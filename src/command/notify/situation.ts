import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';

export const EVENTS = ['drift', 'failed', 'refused', 'left-paused', 'exposure', 'applied'] as const;
export type NotifyEvent = (typeof EVENTS)[number];

/** How things stand after a run, as a message tells it. */
export interface NotifySituation {
  /** `ok` where nothing is to be done. */
  readonly event: Exclude<NotifyEvent, 'applied'> | 'ok';
  readonly title: string;
  readonly lines: readonly string[];
  /** SHA-256 of what is wrong, without figures that move by themselves: equal ones are one situation. */
  readonly identity: string;
  /** Changes that this run made. */
  readonly applied: number;
}

export interface RunEnd {
  readonly command: string;
  readonly exitCode: number;
  /** SOL: above it, exposure is a situation of its own. */
  readonly exposureAbove?: string | undefined;
}

/** The situation that the document of a command (`-o json`) and its exit code tell of. */
export function situationOf(
  document: JsonObject,
  { command, exitCode, exposureAbove }: RunEnd,
): NotifySituation {
  const { event, lines } = eventOf(document, command, exitCode);
  const sol = liveExposure(document);
  const high = exposureAbove !== undefined && Number(sol) > Number(exposureAbove);
  const above = high ? [`${sol} SOL at stake per trigger, more than ${exposureAbove}.`] : [];
  const shown = event === 'ok' && high ? 'exposure' : event;
  return {
    event: shown,
    title: [nameOf(document), TITLES[shown](command, exitCode)].filter((part) => part !== '').join(': '),
    lines: [...above, ...lines],
    identity: createHash('sha256')
      .update(
        JSON.stringify([
          shown,
          high,
          event === 'drift' ? driftIdentity(document) : problemIdentity(document),
        ]),
      )
      .digest('hex'),
    applied: document.format === 'tradeform.report/1' ? Number(objectIn(document.summary).done ?? 0) : 0,
  };
}

const TITLES: Readonly<Record<NotifySituation['event'], (command: string, exitCode: number) => string>> = {
  ok: (command) => `${command}: the service matches git`,
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
  // Of a plan, 2 says that there are changes.
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

/** The same tasks with the same fields, whatever the commit and the time. */
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

/** Without messages, which hold ids of requests. */
function problemIdentity(document: JsonObject): Json {
  const errors = objectsIn(document.diagnostics).filter(({ severity }) => severity === 'error');
  const changes = objectsIn(document.changes).filter(({ status }) => status !== 'done');
  return [
    ...objectsIn(document.left_paused).map(({ address }): Json => address ?? null),
    ...changes.map(({ address, status }): Json => [status ?? null, address ?? null]),
    ...errors.map(({ code, address }): Json => [code ?? null, address ?? null]),
    ...objectsIn(document.units).map(({ name, result }): Json => [name ?? null, result ?? null]),
  ];
}

function liveExposure({ exposure }: JsonObject): Json | undefined {
  const { live, before } = objectIn(exposure);
  return live ?? before;
}

function nameOf({ project, environment, service, fleet }: JsonObject): string {
  const parts = [project ?? fleet, environment, objectIn(service).login_username];
  return parts.filter((part) => typeof part === 'string').join(' · ');
}

function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
