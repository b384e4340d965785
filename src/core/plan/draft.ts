import type { Location } from '../diagnostics/diagnostic.ts';
import type { Mark } from '../model/armed.ts';
import type { Change, Operation, PlanDiagnostic, RemarkSymbol } from '../model/generated/plan.ts';
import { given } from '../model/given.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { formatVersion, type Marker } from '../model/marker.ts';
import { type LiveResource, versionOf } from '../model/resource.ts';

/** One operation before it has an id and its needs; the subject of a create is its {@link placeholder}. */
type DraftStep = Omit<Operation, 'id' | 'address' | 'needs'>;

/** An operation that must be done first: step number `step`, from 1, of an address's chain. */
export interface Need {
  readonly address: string;
  readonly step: number;
}

export function operationId({ address, step }: Need): string {
  return `${address}#${step}`;
}

/** The placeholder for the id of the resource that the plan creates at an address. */
export function placeholder(address: string): string {
  return `{${address}}`;
}

/** A change before its operations have ids; the ordering stage works on drafts. */
export type Draft =
  | WorkedDraft
  | (Around & {
      readonly change: ShownChange & {
        readonly action: 'none';
        readonly starts_trading: false;
        readonly stops_trading: false;
        readonly held: boolean;
        readonly blocked: NonNullable<Change['blocked']>;
      };
      readonly steps: readonly [];
    });

type WorkedDraft = Around & {
  readonly change: ShownChange & Trading & { readonly blocked: null };
  readonly steps: readonly DraftStep[];
};

export function isWorked(draft: Draft): draft is WorkedDraft {
  return draft.steps.length > 0;
}

type ShownChange = Omit<Change, 'operations' | 'blocked' | keyof Trading>;

/** What a change does to trading. What starts is not held. */
export type Trading =
  | { readonly starts_trading: true; readonly stops_trading: false; readonly held: false }
  | { readonly starts_trading: false; readonly stops_trading: boolean; readonly held: boolean };

interface Around {
  readonly warnings: readonly PlanDiagnostic[];
  /** Addresses whose resource must exist before this change begins (labels that the plan creates). */
  readonly requires: readonly string[];
  /** Operations that must be done before this change begins. */
  readonly after: readonly Need[];
  /** Operations that free the place or the target of what this change creates. */
  readonly createAfter: readonly Need[];
  /**
   * For a replacement that creates first: `withoutRoom` gives the same change in the other order, or undefined if that
   * is refused.
   */
  readonly withoutRoom?: () => Draft;
  readonly takesTarget?: string;
  readonly freesTargets?: readonly string[];
}

/** The remark as a symbol: the armed version in its marker is known only when the request is sent (DESIGN 6). */
export function remarkSymbol(
  note: string,
  mark: Mark,
  { version, rearm }: Pick<Marker, 'version' | 'rearm'>,
  replaces: string | null,
): JsonObject {
  return {
    note,
    mark,
    version: version === undefined ? null : formatVersion(version),
    rearm: rearm ?? null,
    replaces,
  } satisfies RemarkSymbol as unknown as JsonObject;
}

export class StepChain {
  readonly steps: DraftStep[] = [];

  constructor(private readonly address: string) {}

  create(body: JsonObject): void {
    this.push('create', 'created', body);
  }

  mark(on: LiveResource, remark: Json): void {
    this.push('mark', on, { remark });
  }

  /** `settle`: how long execution nodes may still act on the state before the pause. */
  pause(on: LiveResource, settle: number, readFirst = false): void {
    this.push('pause', on, null, { ...waiting(settle), ...(readFirst ? { read_first: true } : {}) });
  }

  /** `ifRefused`: sent instead if the service validates the stored legacy config again. */
  patch(on: LiveResource | 'created', body: JsonObject, ifRefused?: JsonObject): void {
    this.push('patch', on, body, given({ body_if_refused: ifRefused }));
  }

  resume(on: LiveResource | 'created'): void {
    this.push('resume', on, null);
  }

  /** `settle`: the wait before the delete, if an earlier run paused the task only a moment ago. */
  delete(on: LiveResource, settle = 0): void {
    this.push('delete', on, null, waiting(settle));
  }

  private push(
    verb: Operation['verb'],
    on: LiveResource | 'created',
    body: JsonObject | null,
    extra: Partial<DraftStep> = {},
  ): void {
    const subject = on === 'created' ? placeholder(this.address) : on.id;
    this.steps.push({ subject, verb, body, ...extra });
  }
}

function waiting(ms: number): Pick<DraftStep, 'settle_ms'> {
  return ms > 0 ? { settle_ms: ms } : {};
}

/** The location of a change: that of a manifest, of a Removal, or of the name in a marker. */
export interface At {
  readonly address: string;
  readonly collection: Change['kind'];
  readonly name: string;
  readonly row?: () => Location;
}

const NOTHING = { steps: [], warnings: [], requires: [], after: [], createAfter: [] } as const;

/**
 * The change at an address with the live resource `live`. `given` overrides the values of a change that does nothing;
 * the most important of its `actions` comes first.
 */
export function draftOf(
  { address, collection, name, row }: At,
  live: LiveResource | undefined,
  given: Pick<Change, 'actions' | 'reason'> &
    Partial<ShownChange> &
    (Trading | { readonly [Key in keyof Trading]?: never }),
  rest: Partial<Around & { readonly steps: readonly DraftStep[] }> = {},
): Draft {
  const { actions, reason, ...more } = given;
  return {
    change: {
      address,
      previous_address: null,
      kind: collection,
      name,
      id: live?.id ?? null,
      replaces_id: null,
      version: live === undefined ? null : (versionOf(live) ?? null),
      action: actions[0] ?? 'none',
      actions,
      reason,
      starts_trading: false,
      stops_trading: false,
      held: false,
      blocked: null,
      exposure: { before: '0', after: '0' },
      fields: [],
      former: live === undefined ? null : { ...live },
      ...(row === undefined || (more.fields ?? []).length === 0 ? {} : { row: row() }),
      ...more,
    },
    ...NOTHING,
    ...rest,
  };
}

export function blockDraft(
  { change }: Pick<Draft, 'change'>,
  reason: Change['reason'],
  text: string,
  ids: readonly string[],
): Draft {
  const { before } = change.exposure;
  return {
    change: {
      ...change,
      action: 'none',
      actions: ['none'],
      reason,
      starts_trading: false,
      stops_trading: false,
      blocked: { text, ids: [...ids] },
      exposure: { before, after: before },
    },
    ...NOTHING,
  };
}
