import { VERSION } from '../src/commands/version.ts';
import { delayOptimiser, loadChunk } from './load-chunk.ts';

const args = process.argv.slice(2);

// The version is answered before anything else is loaded: scripts ask for it often.
if (args.length === 1 && args[0] === '--version') {
  process.stdout.write(`${VERSION}\n`);
} else {
  delayOptimiser();
  const { main } = loadChunk('main.js') as typeof import('./main.ts');
  void main(args);
}
