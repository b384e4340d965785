/**
 * `play.mjs TREE FOLDER [TEXT]`: plays the scenes whose names have TEXT with the program that is built in TREE, and writes a file for
 * each command line into FOLDER. The service is always that of this tree, so that a difference is one of the program. Seeds of the
 * simulation are played with the sources of TREE.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { build } from 'esbuild';
import { Service } from '../../examples/demo/service.mjs';
import { ACTS, scenes } from './scenes.mjs';
import { BASE_URL, later, logged, now, restart } from './virtual.mjs';

const SEEDS = 300;
const FORMATS = ['text', 'markdown', 'json', 'html', 'sarif', 'github', 'gitlab'];
const SHOWN = { '*': FORMATS, '%': ['text', 'json'], '+': ['text'] };
const REPORTS = FORMATS.slice(1).map((format) => `report.${format}`);
const WRITTEN = FORMATS.slice(1).flatMap((format) => ['--report', `${format}=report.${format}`]);

const [tree, folder, only = ''] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { main: service } = require('../../dist/main.cjs');
const { main: program } = require(join(tree, 'dist/main.cjs'));
const top = mkdtempSync(join(tmpdir(), 'tradeform-corpus-'));
const ALONE = { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1' };

/** Runs a program in this process; `hear` is told what it has printed. */
function run(main, args, { cwd = top, env = {}, hear = () => undefined } = {}) {
  const said = { stdout: '', stderr: '' };
  const stream = (name) =>
    new Writable({
      write(text, _encoding, done) {
        said[name] += text;
        hear(said.stdout);
        done();
      },
    });
  const signals = new Map();
  const ended = new Promise((exit, reject) => {
    const streams = { stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr') };
    const on = (name, listener) => signals.set(name, listener);
    const ends = { on, off: (name) => signals.delete(name), exit: (code) => exit({ code, ...said }) };
    main(args, { ...streams, ...ends, env: { ...ALONE, ...env }, cwd: () => cwd }).catch(reject);
  });
  return { ended, stop: () => signals.get('SIGTERM')?.() };
}

/** A repository, and its account on the sandbox. */
class Stage {
  path = join(top, 'scene');
  records = 0;

  constructor(name, world) {
    this.name = name;
    this.world = world;
  }

  async open({ from, over = from, seed = { accounts: [{}] }, choice, env }) {
    rmSync(this.path, { recursive: true, force: true });
    for (const part of [over, from]) cpSync(part, this.path, { recursive: true });
    const file = join(top, 'seed.json');
    writeFileSync(file, JSON.stringify(seed));
    restart();
    const args = ['sandbox', '-q', '-o', 'json', '--seed', file, ...(choice ? ['--choice', choice] : [])];
    const said = await new Promise((resolve, reject) => {
      this.sandbox = run(service, args, { hear: (text) => text.endsWith('\n') && resolve(JSON.parse(text)) });
      this.sandbox.ended.then(({ stderr }) => reject(new Error(stderr)));
    });
    restart(said.port);
    this.tokens = said.tokens.map(({ token }) => token);
    this.env = { TRADEFORM_BASE_URL: BASE_URL, TRADEFORM_TOKEN: this.tokens[0], ...env };
    this.person = new Service(BASE_URL, this.tokens[0], this.world.project);
    this.commit('The first manifests');
  }

  async play(script) {
    for (const [, sign, line] of script.split(/;|\n/).map((part) => /^ *([*%+@]?) *(.*?) *$/.exec(part))) {
      later(60_000);
      if (sign === '@') await ACTS[line](this, this.world);
      else for (const format of SHOWN[sign] ?? [undefined]) await this.tradeform(line, format, sign === '+');
    }
  }

  async tradeform(line, format, written) {
    const words = line.replace('DIGEST', this.digest).split(' ').filter(Boolean);
    const one = /^fleet|environments/.test(line) ? ['--accounts-at-once', '1'] : [];
    const more = this.world.bare
      ? []
      : ['--concurrency', '1', '-q', ...(line.startsWith('fleet') ? one : [])];
    const args = [...words, ...(format ? ['-o', format] : []), ...more, ...(written ? WRITTEN : [])];
    const { ended, requests } = await logged(
      () => run(program, args, { cwd: this.path, env: this.env }).ended,
    );
    this.digest = /^ {2}"digest": "(\w+)"/m.exec(ended.stdout)?.[1] ?? this.digest;
    const files = written ? REPORTS.map((file) => `--- ${file}\n${this.read(file)}`) : [];
    const said = [`--- stdout\n${ended.stdout}`, `--- stderr\n${ended.stderr}`, ...files];
    this.record([`$ tradeform ${args.join(' ')}`, `exit ${ended.code}`, ...requests, ...said]);
  }

  record(lines) {
    this.records += 1;
    const text = lines.join('\n').replaceAll(top, '<top>');
    keep(`${this.name}/${String(this.records).padStart(3, '0')}.txt`, text);
  }

  /** A door of the sandbox beside the interface: `POST faults`. */
  async control(door, body) {
    const [method, path] = door.split(' ');
    await fetch(new URL(`/_sandbox/${path}`, BASE_URL), {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  manifests() {
    return readdirSync(this.path, { recursive: true })
      .filter((file) => /manifests\/.*\.yaml$/.test(file))
      .sort();
  }

  read(file) {
    return readFileSync(join(this.path, file), 'utf8');
  }

  write(file, text) {
    writeFileSync(join(this.path, file), text);
  }

  /** Commits of one moment have one hash. */
  commit(subject) {
    const who = { NAME: 'Mira', EMAIL: 'mira@example.invalid', DATE: `${Math.floor(now() / 1000)} +0000` };
    const variables = Object.entries(who).flatMap(([name, value]) =>
      ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${name}`, value]),
    );
    const env = { ...ALONE, ...Object.fromEntries(variables) };
    const steps = `git -c init.defaultBranch=main init -q && git add -A -- ':!saved.plan' ':!report.*' && git commit -q --allow-empty -m "$0"`;
    execFileSync('sh', ['-c', steps, subject], { cwd: this.path, env });
  }
}

function keep(name, text) {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}

async function simulate() {
  const outfile = join(top, 'simulation.mjs');
  const contents = `export { swarmOf } from './test/simulation/cases.ts'; export { play } from './test/simulation/shrink.ts';`;
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const output = { outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } };
  await build({ stdin: { contents, resolveDir: tree }, ...output });
  const { swarmOf, play } = await import(outfile);
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { lines, violations, gaps, hash } = await play({ ...swarmOf(seed).options, keep: true });
    const verdict = [...violations.map(({ invariant, text }) => `${invariant}: ${text}`), ...gaps.keys()];
    keep(`simulation/${seed}.txt`, [`swarm ${seed}`, ...lines, ...verdict, `hash ${hash}`].join('\n'));
  }
}

try {
  if ('simulation'.includes(only)) await simulate();
  for (const [name, script, world] of scenes()) {
    if (!name.includes(only)) continue;
    const stage = new Stage(name, world);
    await stage.open(world);
    await stage.play(script).catch((error) => stage.record(['The scene ended early', error.stack]));
    stage.sandbox.stop();
    await stage.sandbox.ended;
  }
} finally {
  rmSync(top, { recursive: true });
}
process.exit();
