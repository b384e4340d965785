/** What the network may do to one request of a run that is watched. */
export const FAULTS = [
  /** The client dies: a promise that never settles. Requests of its other chains that are on their way still arrive. */
  'crash-before',
  'crash-after',
  /** No answer; the request was not carried out, or was. */
  'lost-before',
  'lost-after',
  /** The connection is refused: certainly not carried out. */
  'unsent',
  /** No answer now, and the request arrives some requests later. */
  'late',
  /** Delivered twice: at once, or again some requests later. */
  'twice',
  'twice-later',
  /** A list as it was before the latest changes. */
  'stale',
  /** 429 and 503 as the service says them; or all the same although it was carried out. */
  'throttled',
  'throttled-after',
  'unavailable',
  'unavailable-after',
  /** The service says no to a write, once, for a reason of its own. */
  'refused',
  'failed-before',
  'failed-after',
  /** Half a document under a complete answer. */
  'truncated',
  /** A web page that shows the request, headers included. */
  'html-before',
  'html-after',
] as const;

/** What others do right before a request arrives. */
export const ACTIONS = [
  'pause',
  'resume',
  'note',
  'damage',
  'strip',
  'config',
  'label',
  'delete',
  'clone',
  'fire',
  /** `tradeform pause` upon one task. */
  'switch',
  /** Another runner with the same manifests: from beginning to end, or request by request beside this one. */
  'runner-same',
  'runner-same-mixed',
  /** Another runner with another revision of the manifests. */
  'runner-other',
  'runner-other-mixed',
  'rotate',
  'day',
] as const;

export type FaultKind = (typeof FAULTS)[number];
export type ActionKind = (typeof ACTIONS)[number];
export type Kind = FaultKind | ActionKind;

export const KINDS: readonly Kind[] = [...FAULTS, ...ACTIONS];

/** One thing that goes wrong or happens, at a request of the watched runs, counted from 0. */
export interface Disturbance {
  readonly at: number;
  readonly kind: Kind;
  /** Chooses among targets and variants. */
  readonly pick: number;
}

export function isFault(kind: Kind): kind is FaultKind {
  return (FAULTS as readonly Kind[]).includes(kind);
}

export function tell({ at, kind, pick }: Disturbance): string {
  return `${kind}@${at}${pick === 0 ? '' : `/${pick}`}`;
}

/** The reverse of {@link tell}. */
export function parseDisturbance(text: string): Disturbance {
  const [, kind, at, pick = '0'] = /^([a-z-]+)@(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`no disturbance: ${text}`);
  return { at: Number(at), kind: known, pick: Number(pick) };
}
