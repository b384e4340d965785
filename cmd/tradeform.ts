import { VERSION } from '../src/core/command/version.ts';

// Every version of Node reads this file, also versions that are too old for the program. Newer syntax and imports come after the
// check.
declare const TRADEFORM_NODE: string;

const args = process.argv.slice(2);

if (isOlder(process.versions.node, TRADEFORM_NODE)) {
  process.stderr.write(`tradeform needs Node ${TRADEFORM_NODE} or later; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else if (args.length === 1 && args[0] === '--version') {
  // Answered before anything else is loaded, because scripts ask for it often.
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./main.js').then(({ main }) => main(args));
}

function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [needsMajor = 0, needsMinor = 0, needsPatch = 0] = needed.split('.').map(Number);
  if (major !== needsMajor) return major < needsMajor;
  return minor !== needsMinor ? minor < needsMinor : patch < needsPatch;
}
