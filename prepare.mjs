// npm runs this after an installation of the repository itself: it builds dist/.
//
// In a global installation from git, as pre-commit makes it, several versions of npm leave out the development dependencies
// (npm/cli issue 8440). The build needs them, so they are installed first.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('node_modules')) npm('ci', '--global=false', '--include=dev', '--ignore-scripts');
npm('run', 'build', '--global=false');

function npm(...args) {
  const program = process.env.npm_execpath;
  if (program === undefined) throw new Error('npm starts this: npm run prepare');
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
