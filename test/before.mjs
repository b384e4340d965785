// npm runs this before the tests: it builds what they start, and checks what needs no test, side by side. What each part prints
// is shown together at its end. The exit code is the first code that is not 0.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const program = process.env.npm_execpath;
if (program === undefined) throw new Error('npm starts this: npm test');

await Promise.all([
  run('bundle.mjs'),
  run('schemas/generate.mjs', '--check'),
  run(program, 'run', '--silent', 'typecheck'),
  run(program, 'run', '--silent', 'lint'),
]);

async function run(...args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode ||= code ?? 1;
}
