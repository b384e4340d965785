import type { DesiredState } from '../../desired/state.ts';
import type { Change } from '../../model/generated/plan.ts';
import type { LiveState } from '../../model/resource.ts';
import { NO_GUARDRAILS } from '../../plan/guardrails/compiled.ts';
import { NO_OPTIONS } from '../../plan/input.ts';
import { makePlan } from '../../plan/plan.ts';

/** What the next plan would do with the exported manifests. */
export interface Foretold {
  /** The marker is written, and the note if it had to be cut. Nothing is paused and no config changes. */
  readonly adopted: readonly Change[];
  readonly blocked: readonly { readonly address: string; readonly text: string }[];
  /** Only the mark or the project's name in the remark is updated, and legacy fields that any patch removes. */
  readonly marks: readonly Change[];
  /** Everything else that it would do. */
  readonly others: readonly Change[];
  readonly held: number;
}

/** The plan of these manifests now, without guardrails, which judge the real plan. */
export function foretell(desired: DesiredState, live: LiveState): Foretold {
  const { changes } = makePlan({
    desired,
    live,
    baseUrl: '',
    toolVersion: '',
    createdAt: new Date(live.readAt ?? 0).toISOString(),
    source: { commit: null, dirty: false, manifestsDigest: '', number: undefined },
    options: { ...NO_OPTIONS, allowEmpty: true },
    guardrails: NO_GUARDRAILS,
    diagnostics: [],
  });
  const open = changes.filter((change) => change.operations.length > 0 && !adopts(change));
  return {
    adopted: changes.filter(adopts),
    blocked: changes.flatMap(({ address, blocked }) =>
      blocked === null ? [] : [{ address, text: blocked.text }],
    ),
    marks: open.filter(isMark),
    others: open.filter((change) => !isMark(change)),
    held: changes.filter(({ held }) => held).length,
  };
}

function adopts({ actions, fields, starts_trading: starts, stops_trading: stops }: Change): boolean {
  const changes = fields.filter(({ legacy, path }) => legacy !== true && path !== 'remark');
  return actions.includes('adopt') && changes.length === 0 && !starts && !stops;
}

function isMark({ fields, actions, starts_trading: starts, stops_trading: stops }: Change): boolean {
  const changes = fields.filter(({ legacy, path }) => legacy !== true && path !== 'project');
  const marks: readonly string[] = ['update', 'rename'];
  return changes.length === 0 && !starts && !stops && actions.every((action) => marks.includes(action));
}
