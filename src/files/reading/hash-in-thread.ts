import { Worker } from 'node:worker_threads';
import { type FilesToHash, hashOfFiles } from './files-hash.ts';

/** `hashOfFiles` in another thread, of which `program` is the file; in this one where there is none, or it fails. */
export async function hashInThread(
  files: FilesToHash,
  program: string | undefined,
): Promise<string | undefined> {
  const answer = program === undefined ? undefined : await answerOf(files, program);
  return answer === undefined ? hashOfFiles(files) : answer.hash;
}

/** Undefined for a thread that ended without one. */
function answerOf(files: FilesToHash, program: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    try {
      // It needs no secrets, and no options of this process: profilers would write files of their own.
      const worker = new Worker(program, { workerData: files, env: {}, execArgv: [] });
      worker.on('message', resolve);
      for (const end of ['error', 'messageerror', 'exit']) worker.on(end, () => resolve(undefined));
    } catch {
      resolve(undefined);
    }
  });
}

/** What the thread says. */
export interface Answer {
  readonly hash: string | undefined;
}
