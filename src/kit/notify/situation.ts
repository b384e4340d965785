import { createHash } from 'node:crypto';
import type { DocumentNotice, NoticeLine } from '../../core/documents/document.ts';
import { stakeText } from '../../core/documents/stake-text.ts';
import type { Json } from '../../core/model/json.ts';

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

export function situationOf(notice: DocumentNotice, { command, exitCode, name }: RunEnd): NotifySituation {
  const { leftPaused = [], drift = [], problems = [], applied = 0 } = notice;
  const { event, lines } = eventOf(notice, command, exitCode);
  const identities = (all: readonly NoticeLine[]) => all.map(({ identity }) => identity);
  return {
    event,
    title: titled(name, TITLES[event](command, exitCode)),
    lines,
    identity: digestOf([event, [...leftPaused], identities(drift), identities(problems)]),
    applied,
  };
}

/** Whether more SOL than `limit` is at stake. Undefined if the document does not know the exposure. */
export function exposureSituation(
  { exposure }: DocumentNotice,
  { name }: RunEnd,
  limit: string,
): NotifySituation | undefined {
  if (exposure === undefined) return undefined;
  // A hidden amount is no number.
  const parts = exposure.sol.map((amount) => (amount === '' ? Number.NaN : Number(amount)));
  const sol = Number(parts.reduce((total, one) => total + one, 0).toFixed(9));
  if (Number.isNaN(sol)) return undefined;
  const high = sol > Number(limit);
  return {
    event: high ? 'exposure' : 'ok',
    title: titled(name, high ? 'exposure above the limit' : 'exposure within the limit'),
    lines: [
      `${stakeText(`${sol} SOL at stake${high ? `, more than ${limit}` : ''}`, exposure.outside)}.`,
      ...exposure.uncounted,
      ...(high ? ['To see what trades: `tradeform status`. To stop it: `tradeform pause --all`.'] : []),
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
  { leftPaused = [], drift = [], problems = [] }: DocumentNotice,
  command: string,
  exitCode: number,
): Pick<NotifySituation, 'event' | 'lines'> {
  const lines = (all: readonly NoticeLine[]) =>
    all.flatMap(({ text, way }) =>
      text === undefined ? [] : [way === undefined ? text : `${text}. ${way}`],
    );
  const paused = leftPaused.map((address) => `left paused: ${address}`);
  if (paused.length > 0) return { event: 'left-paused', lines: [...paused, ...lines(problems)] };
  if (exitCode === 0) return { event: 'ok', lines: [] };
  // The exit code 2 of a plan means that there are changes.
  if (exitCode === 2)
    return command.endsWith('drift') ? { event: 'drift', lines: lines(drift) } : { event: 'ok', lines: [] };
  return { event: exitCode === 4 ? 'refused' : 'failed', lines: lines(problems) };
}
