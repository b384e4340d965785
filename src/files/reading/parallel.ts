import { availableParallelism } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type ReadResult, readManifests } from '../../manifest/read.ts';
import { type ReadRecord, recordOf, resultOf } from '../../manifest/record.ts';
import type { Source } from '../../manifest/source.ts';
import { BUILD, builtFile } from './build.ts';
import { lengthOf } from './length.ts';
import { type Answer, type Question, recordsIn } from './thread-messages.ts';

/** Threads beside this one. */
export interface Helpers {
  readonly most: number;
  /** Characters that each must have to read: a thread has to start and to load what reads. */
  readonly each: number;
  /** What they run; without it there are none. */
  readonly file: string | undefined;
}

export const HELPERS: Helpers = {
  most: Math.min(availableParallelism() - 1, 7),
  each: 512 * 1024,
  file: builtFile('read-thread.cjs'),
};

/** Characters that a thread is given at once: far more than asking costs, and soon done. */
const BATCH = 64 * 1024;
/** So many at a time, so that a thread never waits for the next. */
const AHEAD = 2;

type Done = (source: Source, result: ReadResult, record: () => ReadRecord) => void;

/**
 * Reads files with as many threads as pay, while the sources are still being taken. This one reads as well, and does alone
 * what is left when another fails; between two files it lets signals come through.
 */
export async function readInParallel(
  sources: Iterable<Source>,
  { most, each, file }: Helpers,
  done: Done,
): Promise<void> {
  const work = new Work(sources, done);
  const count = file === undefined ? 0 : Math.min(most, Math.floor(work.gather(most * each) / each));
  const helpers = Array.from({ length: count }, () => new Helper(file ?? '', work));
  try {
    for (;;) {
      const batch = work.take();
      if (batch === undefined) {
        if (work.isDone) break;
        await work.progress();
      }
      for (const source of batch ?? []) {
        const result = readManifests(source);
        work.finish(source, result, () => recordOf(result));
        await turn();
      }
    }
  } finally {
    for (const helper of helpers) helper.end();
  }
}

/** What is to be read yet. */
class Work {
  readonly #sources: Iterator<Source>;
  readonly #done: Done;
  /** Batches that wait for a thread. */
  readonly #queue: (readonly Source[])[] = [];
  /** Sources that were gathered and are not read yet. */
  #open = 0;
  #wake: () => void = () => undefined;

  constructor(sources: Iterable<Source>, done: Done) {
    this.#sources = sources[Symbol.iterator]();
    this.#done = done;
  }

  /** After `take` had nothing: true where no thread has any left either. */
  get isDone(): boolean {
    return this.#open === 0;
  }

  /** Gathers up to `most` characters; answers how many there are. */
  gather(most: number): number {
    let characters = 0;
    while (characters < most) {
      const batch = this.#next();
      if (batch === undefined) break;
      this.#queue.push(batch);
      characters += lengthOf(batch);
    }
    return characters;
  }

  take(): readonly Source[] | undefined {
    return this.#queue.shift() ?? this.#next();
  }

  giveBack(batches: readonly (readonly Source[])[]): void {
    this.#queue.push(...batches);
    this.#wake();
  }

  finish(source: Source, result: ReadResult, record: () => ReadRecord): void {
    this.#done(source, result, record);
    this.#open -= 1;
    if (this.#open === 0) this.#wake();
  }

  /** Until all is read, or some came back. */
  progress(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #next(): readonly Source[] | undefined {
    const batch: Source[] = [];
    for (let characters = 0; characters < BATCH; ) {
      const { done, value } = this.#sources.next();
      if (done === true) break;
      batch.push(value);
      characters += value.text.length;
    }
    this.#open += batch.length;
    return batch.length === 0 ? undefined : batch;
  }
}

/** Another thread that reads. */
class Helper {
  readonly #work: Work;
  readonly #given: (readonly Source[])[] = [];
  #worker: Worker | undefined;

  constructor(file: string, work: Work) {
    this.#work = work;
    try {
      // It needs no secrets, and no options of this process: profilers would write files of their own.
      this.#worker = new Worker(file, { workerData: BUILD, env: {}, execArgv: [] });
    } catch {
      return;
    }
    this.#worker.on('message', (answer: Answer) => this.#take(answer));
    for (const end of ['error', 'messageerror', 'exit']) this.#worker.on(end, () => this.#fail());
    this.#ask();
  }

  end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #ask(): void {
    while (this.#given.length < AHEAD) {
      const batch = this.#work.take();
      if (batch === undefined) return;
      this.#given.push(batch);
      const question: Question = batch.map(({ text }) => text);
      this.#worker?.postMessage(question);
    }
  }

  #take(answer: Answer): void {
    // What it was given is done by another then.
    if (this.#worker === undefined) return;
    const batch = this.#given.shift() ?? [];
    this.#ask();
    const records = recordsIn(answer);
    for (const [index, source] of batch.entries()) {
      const record = records[index];
      if (record !== undefined) this.#work.finish(source, resultOf(source, record), () => record);
    }
  }

  #fail(): void {
    if (this.#worker === undefined) return;
    this.end();
    this.#work.giveBack(this.#given.splice(0));
  }
}
