import { createFreeze, type FreezeIds } from '../../act/create-freeze.ts';
import type { Failure } from '../../act/outcome.ts';
import { Interrupted, Requests } from '../../act/requests.ts';
import { orStopped } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { switchFreeze } from '../../model/freeze.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';

/** True for the choice of everything, which freezes and ends the freeze. */
export function isEverything({ all, kind = [], label = [] }: OperatorOptions): boolean {
  return all === true && kind.length + label.length === 0;
}

/** How often a pause sets its label, if others take it away. */
const MOST_SETS = 5;

/** The label that freezes what a pause stops: sent first, read at the end. No task waits for it, and it never fails. */
export class PauseFreeze {
  /** The label was answered for: what is read from now on is read under it. */
  isSet = false;
  readonly ids: FreezeIds = { set: [], found: [] };
  private sets = 0;
  private failure: Failure | undefined;
  private setting: Promise<void>;
  private found: Diagnostic | undefined;

  constructor(
    private readonly project: string | undefined,
    private readonly requests: Requests,
    private readonly soft: AbortSignal,
  ) {
    this.setting = this.set();
  }

  /** False if what runs has to be read once more: the label was not set `before` the last reading began, or is set anew. */
  async stands(before: boolean): Promise<boolean> {
    await orStopped(this.setting, this.soft);
    if (!before) return false;
    this.found = await this.look();
    const isFinal = this.found.code === 'frozen' || this.failure?.error?.code === 'insufficient_scope';
    if (isFinal || this.sets >= MOST_SETS) return true;
    this.setting = this.set();
    await orStopped(this.setting, this.soft);
    return false;
  }

  async end(): Promise<Diagnostic> {
    await orStopped(this.setting, this.soft);
    return this.found ?? this.look();
  }

  private async look(): Promise<Diagnostic> {
    // Loaded only now, so that no pause waits for it.
    const { lookForFreeze } = await import('./look-for-freeze.ts');
    return lookForFreeze(this.project, this.failure, this.requests, this.soft, this.ids);
  }

  private async set(): Promise<void> {
    this.sets += 1;
    try {
      const outcome = await createFreeze(switchFreeze(this.project), this.requests, this.ids);
      const { renewFreeze } = await import('../../act/renew-freeze.ts');
      this.failure =
        outcome.type === 'ok' ? undefined : await renewFreeze(this.project, outcome, this.requests, this.ids);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.failure = { kind: 'interrupted', text: 'Interrupted.' };
    }
    this.isSet = true;
  }
}

/** Requests for which others wait. */
export function urgent({ api, clock }: OperatorContext['session'], io: Io): Requests {
  return new Requests(api, clock, io.stop.hard, () => true);
}
