import { loadChunk } from './load-chunk.ts';

// What `hashInThread` starts: a file of its own, since a thread is begun with one.
loadChunk('hash-thread.js');
