import { loadChunk } from './load-chunk.ts';

// What `readInParallel` starts: a file of its own, since a thread is begun with one.
loadChunk('read-thread.js');
