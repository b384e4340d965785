/** Progress of a command while it works. The terminal is one consumer. Nothing here reaches stdout. */
export interface Progress {
  emit(event: ProgressEvent): void;
}

export type ProgressEvent =
  | { readonly type: 'read'; readonly collection: string; readonly items: number; readonly done: boolean }
  | { readonly type: 'read-again'; readonly reason: string }
  | { readonly type: 'work'; readonly total: number }
  | { readonly type: 'chain-start'; readonly address: string; readonly steps: number }
  | {
      readonly type: 'step-start';
      readonly address: string;
      readonly verb: string;
      readonly operation: string;
    }
  | {
      readonly type: 'step-done';
      readonly address: string;
      readonly verb: string;
      readonly operation: string;
    }
  | { readonly type: 'chain-again'; readonly address: string; readonly reason: string }
  | { readonly type: 'waiting'; readonly address?: string; readonly reason: string; readonly ms: number }
  | {
      readonly type: 'chain-end';
      readonly address: string;
      readonly status: 'done' | 'failed' | 'skipped' | 'unknown';
      readonly text: string;
    };

export const SILENT: Progress = { emit: () => undefined };
