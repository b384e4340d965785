import { parentPort, workerData } from 'node:worker_threads';
import { type FilesToHash, hashOfFiles } from './files-hash.ts';
import type { Answer } from './hash-in-thread.ts';

/** A thread that hashes the files of one project, and ends. */
const answer: Answer = { hash: hashOfFiles(workerData as FilesToHash) };
parentPort?.postMessage(answer);
