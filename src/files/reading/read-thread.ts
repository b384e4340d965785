import { parentPort, workerData } from 'node:worker_threads';
import { readManifests } from '../../manifest/read.ts';
import { recordOf } from '../../manifest/record.ts';
import { Source } from '../../manifest/source.ts';
import { BUILD } from './build.ts';
import { answerOf, type Question } from './thread-messages.ts';

/**
 * A thread that reads texts for `readInParallel`, until it is ended. It ends by itself where the program was replaced since the
 * other one started: two builds may read in two ways.
 */
if (workerData === BUILD) {
  parentPort?.on('message', (texts: Question) => {
    const answer = answerOf(texts.map((text) => recordOf(readManifests(new Source('', text)))));
    parentPort?.postMessage(answer, [answer.offsets.buffer as ArrayBuffer]);
  });
}
