import type { Values } from './history.ts';

/** What happens at the write with this number of a run; `deed`: just before it is carried out. */
export interface Strike {
  readonly at: number;
  /**
   * `before`, `after`: the process dies before or after the request is carried out; `late`: it dies, and the request arrives later;
   * `lost`, `unheard`: the connection breaks before or after it is carried out.
   */
  readonly type: 'before' | 'after' | 'late' | 'lost' | 'unheard' | 'meanwhile';
  readonly deed?: Step;
}

/** `whole`: the last commit that was applied whole; `previous`: the commit before. */
export type BaseName = 'none' | 'whole' | 'previous';

export type Step =
  | { readonly type: 'merge' }
  /** History is replaced by another one with an equal head. */
  | { readonly type: 'rewrite' }
  | {
      readonly type: 'run';
      readonly way: 'only' | 'plain' | 'rollback';
      /** How many commits it is behind the head; `former`: a clone of the history before it was rewritten. */
      readonly behind: number;
      readonly former?: boolean;
      readonly base: BaseName;
      readonly strikes: readonly Strike[];
    }
  | { readonly type: 'person'; readonly deed: Deed; readonly pick: number };

export type Deed =
  | { readonly type: 'set'; readonly values: Partial<Values> }
  /** Back to the values of a commit of the history; `back` counts from the head. */
  | { readonly type: 'as-in-git'; readonly back: number }
  | { readonly type: 'stop' | 'start' | 'delete' | 'strip' | 'strip-version' | 'damage' };
