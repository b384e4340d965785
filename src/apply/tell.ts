import type { LiveTask } from '../model/resource.ts';
import { movedFields } from './compare.ts';
import type { Failure } from './failure.ts';

/** Somebody else was at the task: which fields differ from what this run left or expected. */
export function moved(verb: string, before: LiveTask, read: LiveTask, another: boolean): Failure {
  if (another) {
    return {
      kind: 'moved',
      text: `Another apply is at work on the task; it came before ${NOUN[verb] ?? 'the next step'}.`,
    };
  }
  const fields = movedFields(before, read);
  const what =
    fields.length === 0
      ? `it went from version ${before.version} to ${read.version} without a visible change, which may hide a start and a stop`
      : `${fields.join(', ')} ${fields.length === 1 && fields[0]?.startsWith('it was') ? '' : 'changed'}`.trim();
  return {
    kind: 'moved',
    text: `Somebody else was at the task before ${NOUN[verb] ?? 'the next step'}: ${what}.`,
  };
}

const NOUN: Readonly<Record<string, string>> = {
  mark: 'its mark',
  pause: 'its pause',
  patch: 'its patch',
  resume: 'its start',
  delete: 'its deletion',
};
