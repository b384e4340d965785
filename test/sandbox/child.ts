import { runSandbox, type SandboxCommandOptions } from '../../src/kit/sandbox.ts';

/** The command in its own process, bundled by the tests. The first argument holds the options as JSON. */
const options = JSON.parse(process.argv[2] ?? '{}') as SandboxCommandOptions;
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.on('SIGINT', () => stop.abort());
runSandbox(options, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  stop: { soft: stop.signal, hard: stop.signal },
  cwd: process.cwd(),
}).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${JSON.stringify(error)}\n`);
    process.exit(99);
  },
);
