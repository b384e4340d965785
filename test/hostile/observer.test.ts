import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { complaints } from './judge.ts';
import { buildLab, type Lab } from './lab.ts';
import { observe } from './observe.ts';
import { repository } from './repositories/honest-project.ts';

/** A program in place of tradeform, and what the judge has to say of it; `OUT` is the folder outside. */
const PROGRAMS: readonly (readonly [name: string, code: string, complaint: RegExp | undefined])[] = [
  ['does nothing', '', undefined],
  ['reads its project', "fs.readFileSync('tradeform.yaml')", undefined],
  ['reads a file outside', 'fs.readFileSync(`${OUT}/secret`)', /readFileSync read .*\/outside\/secret/],
  ['does so later', 'fs.readFile(`${OUT}/secret`, () => {})', /readFile read .*\/outside\/secret/],
  ['does so by a promise', 'void fs.promises.readFile(`${OUT}/secret`)', /readFile read .*\/outside\/secret/],
  ['does so as a stream', 'fs.createReadStream(`${OUT}/secret`).resume()', /open read .*\/outside\/secret/],
  [
    'does so through a link',
    "fs.symlinkSync(`${OUT}/secret`, 'a'); fs.openSync('a')",
    /openSync read .*\/outside\/secret/,
  ],
  [
    'does so in a thread',
    "new (require('node:worker_threads').Worker)('require(\"node:fs\").readFileSync(process.argv[2])', { eval: true, execArgv: [], env: {}, argv: [`${OUT}/secret`] })",
    /readFileSync read .*\/outside\/secret/,
  ],
  ['lists a folder outside', 'fs.readdirSync(OUT)', /readdirSync read .*\/outside$/m],
  ['writes outside', "fs.writeFileSync(`${OUT}/new`, '')", /writeFileSync wrote .*\/outside\/new/],
  [
    'writes through a link',
    "fs.symlinkSync(`${OUT}/linked`, 'b'); fs.closeSync(fs.openSync('b', 'w'))",
    /openSync wrote .*\/outside\/linked/,
  ],
  [
    'moves a file there',
    "fs.renameSync('manifests/label.yaml', `${OUT}/moved`)",
    /renameSync wrote .*\/moved/,
  ],
  ['removes one there', 'fs.rmSync(`${OUT}/new`, { force: true })', /rmSync wrote .*\/outside\/new/],
  ['starts a program', "require('node:child_process').spawn('true')", /started true/],
  ['starts one and waits', "require('node:child_process').execFileSync('true')", /started true/],
  ['starts one by a shell', "require('node:child_process').execSync('true')", /started true/],
  [
    'has git do something else',
    "require('node:child_process').execFileSync('git', ['log'])",
    /started git log, which is not in/,
  ],
  [
    'gives git a secret',
    "require('node:child_process').spawnSync('git', ['remote', 'get-url', 'origin'])",
    /the environment of git has the canary TRADEFORM_TOKEN/,
  ],
  [
    'has git start something',
    "require('node:child_process').spawnSync('git', ['-c', 'alias.x=!true', 'x'], { env: { PATH: process.env.PATH } })",
    /git started true/,
  ],
  [
    'connects elsewhere',
    "require('node:net').connect(1, '127.0.0.1').on('error', () => {})",
    /connected to 127.0.0.1:1/,
  ],
  ['connects to the service', "require('node:net').connect(9, '127.0.0.9').on('error', () => {})", undefined],
  ['fetches', "fetch('http://127.0.0.1:10009/').catch(() => {})", /connected to 127.0.0.1:10009/],
  ['looks a name up', "require('node:dns').lookup('a.invalid', () => {})", /looked up a.invalid/],
  [
    'resolves one',
    "require('node:dns').promises.resolve('b.invalid').catch(() => {})",
    /looked up b.invalid/,
  ],
  [
    'sends a datagram',
    "require('node:dgram').createSocket('udp4').send('x', 9, '127.0.0.1').unref()",
    /udp 9/,
  ],
  ['prints a secret', 'console.log(process.env.DESK_SECRET)', /stdout has the canary DESK_SECRET/],
  [
    'prints the token in base64',
    "console.error(Buffer.from('x' + process.env.TRADEFORM_TOKEN).subarray(1).toString('base64'))",
    /stderr has the canary TRADEFORM_TOKEN in base64/,
  ],
  [
    'writes a secret into its project',
    "fs.writeFileSync('report', process.env.GITHUB_TOKEN); fs.renameSync('report', 'report.md')",
    /report.md has the canary GITHUB_TOKEN/,
  ],
  ['throws', "throw new Error('x')", /it printed +at /],
  ['ends with a code of its own', 'process.exitCode = 7', /ended with 7/],
  ['is killed', "process.kill(process.pid, 'SIGKILL')", /ended by SIGKILL/],
];

let lab: Lab;
beforeAll(() => {
  lab = buildLab(repository, '');
});

test.each(PROGRAMS)('a program that %s', async (name, code, complaint) => {
  const program = join(lab.project, 'program.cjs');
  writeFileSync(program, `const fs = require('node:fs'); const OUT = process.env.OUTSIDE;\n${code};\n`);
  const seen = await observe(lab, { program, args: [], env: {}, id: name, serves: false });
  const said = complaints(lab, seen, '127.0.0.9:9').join('\n');
  if (complaint === undefined) expect(said).toBe('');
  else expect(said).toMatch(complaint);
});

test('an endless program is stopped after a limit of processor time', async () => {
  const program = join(lab.project, 'program.cjs');
  writeFileSync(program, 'for (;;);');
  const seen = await observe(lab, { program, args: [], env: {}, id: 'endless', serves: false, mostCpu: 1 });
  expect(complaints(lab, seen, '')[0]).toMatch(/^it was ended by SIG/);
});
