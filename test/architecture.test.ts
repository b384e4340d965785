import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUARDRAILS } from '../src/core/desired/guardrails/settings.ts';
import { CODES } from '../src/core/model/generated/codes.ts';
import { codeOf } from '../src/core/plan/guardrails/checks.ts';
import {
  importsOf,
  loadedWith,
  ROOT,
  type SourceFile,
  sourceFiles,
  withoutComments,
} from './support/sources.ts';

/** DESIGN 11: a folder imports only lower floors and itself. */
const FLOORS: Readonly<Record<string, number>> = {
  'src/core/model': 0,
  'src/core/diagnostics': 0,
  'src/core/ports': 0,
  'src/core/manifest': 1,
  'src/core/desired': 2,
  'src/core/plan': 3,
  'src/core/origin': 4,
  'src/core/render': 4,
  'src/core/documents': 5,
  'src/core/project': 5,
  'src/core/service': 5,
  'src/sandbox': 5,
  'src/core/act': 6,
  'src/core/command': 7,
  'src/core/planning': 8,
  'src/core/features': 9,
  'src/kit': 10,
  src: 11,
  cmd: 12,
};
const PURE_FLOOR = 4;
/** Above that floor. */
const PURE_FOLDERS = ['src/core/documents'];
/** In a feature's room, what compares and what lays out stays as pure as the floors below. */
const PURE_IN_FEATURES = /^src\/(?:core\/features|kit)\/\w+\/pure\//;
/** Node's own modules that do no I/O. */
const PURE_MODULES = new Set(['node:util', 'node:crypto']);
const LONGEST = 500;
/** The most lines and characters by hand of `src` and `cmd`, and the most lines of `test`. They only fall. */
const BUDGET = { lines: 60_975, characters: 2_683_709, tests: 88_104 };

const FILES = ['src', 'cmd'].flatMap(sourceFiles);
const WRITTEN = FILES.filter(({ path }) => !path.includes('/generated/'));

function folderOf(path: string): string {
  return path.startsWith('cmd/')
    ? 'cmd'
    : (/^src\/(?:core\/[^/]+|kit|sandbox)(?=\/)/.exec(path)?.[0] ?? 'src');
}

function floorOf(path: string): number {
  const floor = FLOORS[folderOf(path)];
  if (floor === undefined)
    throw new Error(`${path}: a folder without a floor; add it to the map in CONTRIBUTING.md and here`);
  return floor;
}

function isLocal(path: string): boolean {
  return path.startsWith('src/') || path.startsWith('cmd/');
}

function found(pattern: RegExp, files: readonly SourceFile[] = FILES): string[] {
  return files.flatMap(({ path, code }) => {
    const match = pattern.exec(code);
    return match === null ? [] : [`${path}: ${match[0]}`];
  });
}

const pure = FILES.filter(
  ({ path }) =>
    floorOf(path) <= PURE_FLOOR || PURE_FOLDERS.includes(folderOf(path)) || PURE_IN_FEATURES.test(path),
);

describe('the reader of imports', () => {
  it('sees every way to import', () => {
    const text = `import a from './a.ts';
import type { B } from '../plan/b.ts';
import {
  c,
  type D,
} from "../render/c.ts";
export { e } from './e.ts';
// import f from './f.ts';
const g = await import('./g.ts');
type H = import('./h.ts').H;
import './i.ts';`;
    expect(
      importsOf('src/model/x.ts', text)
        .map(({ to }) => to)
        .sort(),
    ).toEqual([
      'src/model/a.ts',
      'src/model/e.ts',
      'src/model/g.ts',
      'src/model/h.ts',
      'src/model/i.ts',
      'src/plan/b.ts',
      'src/render/c.ts',
    ]);
  });

  it('sees the sources', () => {
    expect(FILES.length).toBeGreaterThan(50);
    expect(FILES.flatMap(({ imports }) => imports).length).toBeGreaterThan(FILES.length);
  });
});

describe('floors', () => {
  it('imports go down, or stay in their folder', () => {
    const wrong = FILES.flatMap(({ imports }) => imports)
      .filter(({ to }) => isLocal(to))
      .filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(to) >= floorOf(from))
      // Floor 0 is one floor: its three folders speak of each other.
      .filter(({ from, to }) => floorOf(from) > 0 || floorOf(to) > 0)
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it('the rooms of features do not import each other in circles', () => {
    const rooms = new Map<string, string[]>();
    for (const { from, to } of FILES.flatMap(({ imports }) => imports)) {
      const [room, other] = [from, to].map(
        (path) => /^src\/(?:core\/features|kit)\/(\w+)\//.exec(path)?.[1] ?? '',
      );
      if (room && other && room !== other) rooms.set(room, [...(rooms.get(room) ?? []), other]);
    }
    expect(rooms.size).toBeGreaterThan(5);
    expect(cycles(rooms)).toEqual([]);
  });

  it('there is no cycle, type imports included', () => {
    const graph = new Map(
      FILES.map(({ path, imports }) => [path, imports.map(({ to }) => to).filter((to) => isLocal(to))]),
    );
    expect(cycles(graph)).toEqual([]);
  });

  it('the pure files of features import pure files', () => {
    const names = new Set(pure.map(({ path }) => path));
    const wrong = pure
      .flatMap(({ imports }) => imports)
      .filter(({ to }) => isLocal(to) && /\.ts$/.test(to) && !names.has(to))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it('floors 0 to 4 import nothing that does I/O', () => {
    const wrong = pure
      .flatMap(({ imports }) => imports)
      .filter(({ to }) => to.startsWith('node:') || to === 'undici' || to === 'commander')
      .filter(({ to }) => !PURE_MODULES.has(to))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it('floors 0 to 4 read no clock, no randomness and no environment', () => {
    const effects =
      /\b(?:process\s*[.[]|globalThis\b|Date\.now|new Date\s*\(\s*\)|performance\.|Math\.random|randomUUID|randomBytes|randomInt|getRandomValues|set(?:Timeout|Interval|Immediate)|queueMicrotask|fetch\s*\(|console\.)/;
    expect(found(effects, pure)).toEqual([]);
  });
});

describe('the border', () => {
  const importsOfCore = FILES.filter(({ path }) => path.startsWith('src/core/')).flatMap(
    ({ imports }) => imports,
  );

  it('the core, which decides and writes, imports nothing of the kit, which shows, sends, collects and repeats', () => {
    const wrong = importsOfCore.filter(({ to }) => /^(?:src\/(?!core\/)|cmd\/)/.test(to));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
    expect(importsOfCore.length).toBeGreaterThan(1_000);
  });

  it('the sandbox imports only what describes the service', () => {
    const imports = FILES.filter(({ path }) => path.startsWith('src/sandbox/')).flatMap(
      (file) => file.imports,
    );
    const wrong = imports.filter(({ to }) =>
      /^src\/(?!sandbox\/|core\/(?:model|ports|diagnostics)\/)/.test(to),
    );
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  /**
   * What the kit may know of the core: its documents and model, how they are laid out, what every command needs, the functions of the
   * commands, and the doors to files, git and manifests, beside which nobody opens one.
   */
  const SURFACE =
    /^src\/core\/(?:(?:model|diagnostics|ports|documents|render|command|manifest|project\/door)\/|features\/(?:apply|plan|validate|drift\/drift|status\/status|switch\/(?:pause|resume))\.ts$|project\/(?:find-project|read-file|replace-file|settings|git|git-commands)\.ts$)/;
  /** What it takes besides, which only gets less: a field of a document, or a function of a command, would do. */
  const BESIDE: Readonly<Record<string, string>> = {
    'comment/comment': 'plan/guardrails/override',
    'comment/reviewed': 'plan/review/provenance',
    'complete/live': 'features/switch/context plan/identity/known-task service/view/read',
    'complete/values': 'desired/guardrails/settings desired/state project/project',
    'doctor/doctor': 'project/git-state project/project project/revision service/resources/account',
    'explain/explain': 'desired/lints/index',
    'export/export': 'planning/live-reader planning/origin',
    'export/make':
      'desired/rules/index desired/state plan/guardrails/compiled plan/input plan/plan project/project',
    'export/place': 'desired/project project/checkout project/glob project/project',
    'export/pure/manifests': 'desired/state',
    'export/subjects':
      'desired/state plan/identity/match-tasks plan/identity/task-match plan/stakes/exposure',
    'export/update': 'desired/state project/project',
    'fleet/apply':
      'plan/order/turn plan/review/digest planning/expected-plan planning/plan-file service/resources/failure',
    'fleet/switch': 'features/switch/choice features/switch/context',
    fmt: 'project/project',
    'forge/rest': 'service/http/transport service/limits/backoff',
    'init/init': 'plan/identity/task-match plan/stakes/amounts planning/live-reader project/project',
    'notify/monitors': 'project/beginning project/repository',
    'notify/outside': 'service/http/transport',
  };
  const MOST_BESIDE = 49;

  it('the kit takes of the core what is documents, model and commands', () => {
    const nameIn = (folder: string, path: string) => path.slice(`src/${folder}/`.length, -'.ts'.length);
    const beside = FILES.filter(({ path }) => path.startsWith('src/kit/')).flatMap(({ path, imports }) =>
      [...new Set(imports.map(({ to }) => to))]
        .filter((to) => to.startsWith('src/core/') && !SURFACE.test(to))
        .map((to) => ({ file: nameIn('kit', path), takes: nameIn('core', to) })),
    );
    expect(beside.filter(({ file, takes }) => !BESIDE[file]?.split(' ').includes(takes))).toEqual([]);
    expect(beside.length).toBeLessThanOrEqual(MOST_BESIDE);
  });

  it('one file of the core opens connections, and one room asks it for those to the service', () => {
    const network = importsOfCore.filter(({ to }) =>
      /^(?:undici|node:(?:net|tls|https?|http2|dgram|dns))\b/.test(to),
    );
    expect([...new Set(network.map(({ from }) => from))]).toEqual([
      // A type.
      'src/core/service/http/exchange.ts',
      'src/core/service/http/transport.ts',
    ]);
    const opening = importsOfCore.filter(({ to }) => to === 'src/core/service/http/transport.ts');
    expect(
      [...new Set(opening.map(({ from }) => from))].filter((from) => !from.startsWith('src/core/service/')),
    ).toEqual(['src/core/command/connection.ts']);
  });
});

describe('pause works when all else fails', () => {
  const PAUSE = 'src/core/features/switch/pause.ts';
  const READER = 'src/core/project/settings.ts';
  const written = (start: readonly string[]) =>
    loadedWith(start, FILES).filter(({ path }) => !path.includes('/generated/'));
  const linesOf = (start: readonly string[]) =>
    written(start).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);

  it('it loads little: the reader of a project file only if there is one', () => {
    expect(linesOf([PAUSE])).toBeLessThanOrEqual(10_000);
    expect(linesOf([PAUSE, READER])).toBeLessThanOrEqual(12_500);
    // The reader of imports sees what they load.
    expect(linesOf([PAUSE])).toBeGreaterThan(5_000);
  });

  it('no planner, no manifests, no guardrails, no page', () => {
    const foreign =
      /^src\/(?:core\/(?:plan\/(?:plan|draft)\.ts|plan\/(?:guardrails|task|order|review)\/|desired\/(?!project\.ts)|project\/project\.ts|planning\/)|kit\/|sandbox\/)/;
    expect(
      written([PAUSE, READER])
        .map(({ path }) => path)
        .filter((path) => foreign.test(path)),
    ).toEqual([]);
    expect(foreign.test('src/core/plan/guardrails/judge.ts')).toBe(true);
  });
});

describe('the map in CONTRIBUTING', () => {
  const FEATURES = ['src/core/features/', 'src/kit/'];
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, map = ''] = /^## Map\n([\s\S]*?)\n## /m.exec(contributing) ?? [];
  const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const rows = [...map.matchAll(/^\| (top|\d+) \| (.+?) \| (.+) \|$/gm)].map(
    ([line, floor, rooms = '', says = '']) => ({
      line,
      floor: floor === 'top' ? FLOORS.cmd : Number(floor),
      rooms: quoted(rooms),
      named: quoted(says),
    }),
  );

  it('has the rooms that there are, on their floors, the highest first', () => {
    const floors = rows.flatMap(({ rooms, floor }) => rooms.map((room) => [folderOf(room), floor] as const));
    expect(Object.fromEntries(floors)).toEqual(FLOORS);
    expect(floors).toEqual(floors.toSorted(([, a = 0], [, b = 0]) => b - a));
  });

  it('names files and folders that exist', () => {
    const isPath = (name: string) => /^[a-z\d./-]+$/.test(name) && /\/|\.\w+$/.test(name);
    const exist = (name: string, rooms: readonly string[]) =>
      ['', ...rooms].some((room) => existsSync(join(ROOT, room, name)));
    const beside = rows.reduce((text, { line }) => text.replace(line, ''), map);
    const all = [...rows, { rooms: [], named: quoted(beside) }].flatMap(({ rooms, named }) =>
      [...rooms, ...named].filter(isPath).map((name) => ({ name, rooms })),
    );
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(({ name, rooms }) => !exist(name, rooms)).map(({ name }) => name)).toEqual([]);
  });

  it('says in which file each feature begins', () => {
    const named = rows.flatMap((row) => (row.rooms.some((room) => FEATURES.includes(room)) ? row.named : []));
    const begun = FILES.filter(({ path }) => path.startsWith('cmd/')).flatMap(({ text }) =>
      [...text.matchAll(/\bimport\('[./]*\/src\/(?:core\/features|kit)\/([^']+)'\)/g)].map(
        ([, file = '']) => file,
      ),
    );
    expect(begun.length).toBeGreaterThan(20);
    const untold = begun.filter((file) => !/^([\w-]+)(?:\/\1)?\.ts$/.test(file) && !named.includes(file));
    expect(untold).toEqual([]);
  });
});

/** Each cycle once, as the path that closes it. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const closed: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) {
      closed.push([...path.slice(path.indexOf(node)), node].join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return closed;
}

describe('habits', () => {
  it('no `export *`, no default export', () => {
    expect(found(/\bexport\s*\*/)).toEqual([]);
    expect(found(/\bexport\s+default\b|\bas\s+default\b/)).toEqual([]);
  });

  it('no drawers', () => {
    const drawers = FILES.filter(({ path }) =>
      /(?:^|\/)(?:utils?|helpers?|misc|common|shared)\.ts$/.test(path),
    );
    expect(drawers.map(({ path }) => path)).toEqual([]);
  });

  it(`no file over ${LONGEST} lines`, () => {
    const long = WRITTEN.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > LONGEST)
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(long).toEqual([]);
  });

  it('within the budget', () => {
    const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs)$/.test(name))
      .map((name) => readFileSync(join(ROOT, 'test', name), 'utf8'));
    const linesOf = (texts: readonly string[]) =>
      texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    const texts = WRITTEN.map(({ text }) => text);
    expect(linesOf(texts)).toBeLessThanOrEqual(BUDGET.lines);
    expect(texts.join('').length).toBeLessThanOrEqual(BUDGET.characters);
    expect(linesOf(tests)).toBeLessThanOrEqual(BUDGET.tests);
  });

  it('one place opens the history, and the sandbox is for its own commands', () => {
    const importers = (to: RegExp) =>
      FILES.filter(({ imports }) => imports.some((one) => to.test(one.to)))
        .map(({ path }) => path)
        .sort();
    expect(found(/\bnew History\(/).map((text) => text.split(':')[0])).toEqual([
      'src/core/planning/origin.ts',
    ]);
    expect(importers(/^src\/sandbox\//).filter((path) => !path.startsWith('src/sandbox/'))).toEqual([
      // The names of the choices.
      'src/kit/complete/values.ts',
      'src/kit/sandbox.ts',
    ]);
  });

  it('a command makes its plan in one place, and a base gets one beside it', () => {
    const made = FILES.flatMap(({ path, code }) =>
      [...code.matchAll(/(?<!function )\b(?:makePlan|planOf)\(/g)].map(() => path),
    );
    expect(made.filter((path) => path !== 'src/core/plan/plan.ts').sort()).toEqual([
      'src/core/features/drift/drift.ts',
      ...Array.from({ length: 3 }, () => 'src/core/planning/base-plan.ts'),
      'src/core/planning/planning.ts',
    ]);
  });

  it('only cmd/ knows the argument parser and exits', () => {
    const below = FILES.filter(({ path }) => !path.startsWith('cmd/'));
    const parsers = below.flatMap(({ imports }) => imports).filter(({ to }) => to === 'commander');
    expect(parsers).toEqual([]);
    // Signal 0 ends nothing: it asks whether a process lives. The group of a gate is a child of ours.
    expect(
      found(
        /\bprocess\s*\.\s*(?:exit|abort|kill(?!\(\w+, 0\)|\(-pid, signal\))|reallyExit)\b|\bprocess\s*\.\s*exitCode\s*=/,
        below,
      ),
    ).toEqual([]);
  });

  it('one file spells the format of a document', () => {
    const places = new Map<string, Set<string>>();
    for (const { path, text } of FILES)
      for (const [name] of text.matchAll(/\btradeform\.[a-z-]+\/(?=\d|\$|')/g))
        places.set(name, (places.get(name) ?? new Set()).add(path));
    expect(places.size).toBeGreaterThan(10);
    expect([...places].filter(([, paths]) => paths.size > 1)).toEqual([]);
  });

  it('only src/core/model/ knows the raw form of a mark, and counts versions', () => {
    // The sandbox plays the service, which makes the versions.
    const above = FILES.filter(({ path }) => !/^src\/(?:core\/model|sandbox)\//.test(path)).map((file) => ({
      ...file,
      code: withoutComments(file.text),
    }));
    expect(above.length).toBeGreaterThan(300);
    const kind = /\btypeof [\w.?]*armed\b|\barmed\)? *[!=]== (?:undefined|\d)|\barmed\)? *[<>]/;
    const form = /'0!'|@\$\{[\w.]*(?:mark|armed)\b/;
    const count = /\bversion\b *(?:[-+] *\d|[!=]== \d|[<>]=? \d)|\bversion - [\w.]*version\b/;
    for (const pattern of [kind, form, count]) expect(found(pattern, above)).toEqual([]);
  });

  it('one place sends a request that writes', () => {
    const senders = found(/\b(?:api|requests|session)\s*\.\s*write\s*\(/).map((text) => text.split(':')[0]);
    expect(senders).toEqual(['src/core/act/requests.ts', 'src/core/act/write.ts']);
  });

  it('what decides after an answer about a write is in src/core/act', () => {
    const intents = found(/\b(?:implements Intent|extends (?:CarefulWrite|SwitchOff|TaskStep))\b/, WRITTEN);
    expect(intents.length).toBeGreaterThan(5);
    expect(intents.filter((text) => !text.startsWith('src/core/act/'))).toEqual([]);
  });

  it('what a command prints is masked where it is shown, and not by each command', () => {
    const importing = (names: string, file: string) => {
      const now = new RegExp(`\\bimport (?!type )\\{[^}]*\\b(?:${names})\\b[^}]*\\} from '[^']*/${file}'`);
      const later = new RegExp(`\\bimport\\(\\s*'[^']*/${file}'`);
      return FILES.filter(({ text }) => now.test(text) || later.test(text)).map(({ path }) => path);
    };
    expect(importing('shown|maskedDocument', 'masking\\.ts').sort()).toEqual([
      'src/core/command/memory-io.ts',
      'src/core/command/output/journal.ts',
      'src/core/command/output/present.ts',
      'src/core/command/progress.ts',
      'src/core/command/show-diagnostics.ts',
      // A plan file holds what `plan -o json` prints.
      'src/core/planning/plan-file.ts',
    ]);
    expect(
      importing('', 'render/masking/[a-z-]+\\.ts')
        .filter((path) => /^src\/(?!core\/(?:render|command))/.test(path))
        .sort(),
    ).toEqual([
      // What is secret in a document, by its paths.
      'src/core/documents/plan.ts',
      'src/core/documents/report.ts',
      // A plan file holds what `plan -o json` prints.
      'src/core/planning/plan-file.ts',
      // What the service says is masked as it is read.
      'src/core/service/http/client.ts',
      // Runs of its own, whose secrets are other ones.
      'src/kit/fleet/run-unit.ts',
    ]);
    const printers = FILES.filter(({ path }) =>
      /^src\/(?:core\/features|kit(?!\/(?:forge|notify)\/))\//.test(path),
    );
    expect(found(/\bstdout\(\s*jsonText\(/, printers)).toEqual([]);
    expect(found(/\bmasking\.(?:document|text)\(/, printers)).toEqual([]);
    expect(found(/\bmasking\.said\(/, printers).map((text) => text.split(':')[0])).toEqual([
      // What nobody expected is not masked where it was thrown.
      'src/kit/fleet/run-unit.ts',
      // The service's reason came before the manifests told what is secret in it.
      'src/core/features/switch/pause.ts',
    ]);
  });

  it('only src/core/model/ takes an address apart', () => {
    // In the sandbox, an address is one of the network.
    const above = FILES.filter(({ path }) => !/^src\/(?:core\/model|sandbox)\//.test(path));
    expect(found(/\baddress\s*\.\s*(?:split|indexOf)\(/, above)).toEqual([]);
  });

  it('one file exits the process', () => {
    expect(found(/\b(?:process|host)\s*\.\s*exit\b/).map((text) => text.split(':')[0])).toEqual([
      'cmd/terminal.ts',
    ]);
  });
});

describe('exports', () => {
  const exported = WRITTEN.flatMap(({ path, code }) =>
    [
      ...code.matchAll(
        /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|function\*?|enum) (\w+)/gm,
      ),
    ].map(([, name = '']) => ({ name, path })),
  );

  it('no name is defined in two files: a search has one result', () => {
    const places = new Map<string, Set<string>>();
    for (const { name, path } of exported) places.set(name, (places.get(name) ?? new Set()).add(path));
    expect(places.size).toBeGreaterThan(1_000);
    expect([...places].filter(([, paths]) => paths.size > 1)).toEqual([]);
  });

  it('no type has three meanings, its own file and the generated ones included', () => {
    const places = new Map<string, number>();
    for (const { code } of FILES.filter(({ path }) => !path.startsWith('src/sandbox/')))
      for (const [, name = ''] of code.matchAll(
        /^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm,
      ))
        places.set(name, (places.get(name) ?? 0) + 1);
    expect([...places].filter(([, count]) => count > 2)).toEqual([]);
  });

  it('each name is in a file that imports its file', () => {
    const importers = new Map<string, SourceFile[]>();
    for (const file of [...FILES, ...['test', 'schemas'].flatMap(sourceFiles)])
      for (const { to } of file.imports) importers.set(to, [...(importers.get(to) ?? []), file]);
    const unused = exported.filter(
      ({ name, path }) =>
        path !== 'src/index.ts' &&
        !importers.get(path)?.some(({ code }) => new RegExp(`\\b${name}\\b`).test(code)),
    );
    expect(unused).toEqual([]);
  });
});

describe('diagnostic codes', () => {
  const named = WRITTEN.flatMap(({ text }) =>
    [...withoutComments(text).matchAll(/'([a-z0-9]+(?:-[a-z0-9]+)*)'/g)].map(([, code]) => code ?? ''),
  );
  const used = new Set([...named, ...GUARDRAILS.map(codeOf)]);

  it('each is used somewhere', () => {
    expect(Object.keys(CODES).filter((code) => !used.has(code))).toEqual([]);
  });

  it('each used one exists', () => {
    const unknown = WRITTEN.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(/\bcode:\s*'([^']+)'/g)]
        .map(([, code]) => code ?? '')
        // Codes of the service have underscores.
        .filter((code) => code.includes('-') && !Object.hasOwn(CODES, code))
        .map((code) => `${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});
