import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import {
  CommandFailure,
  type Diagnostic,
  problem,
  type Texts,
  usage,
} from '../../core/diagnostics/diagnostic.ts';
import { didYouMean } from '../../core/diagnostics/suggest.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import type { Manifest } from '../../core/manifest/manifest.ts';
import { readOneDocument } from '../../core/manifest/read.ts';
import type { Source } from '../../core/manifest/source.ts';
import type { Path } from '../../core/manifest/spans.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import type { DiagnosticCode } from '../../core/model/generated/codes.ts';
import { given } from '../../core/model/given.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { AccountPin } from '../../core/model/resource.ts';
import { matchesWildcard } from '../../core/model/wildcard.ts';
import { FLEET_FILE, othersFile, PROJECT_FILE } from '../../core/project/find-project.ts';
import { requireNamed } from '../../core/project/read-file.ts';

/** One account of the fleet, as the operator described it. */
export interface Unit {
  readonly name: string;
  /** The absolute folder of its project file. */
  readonly folder: string;
  /** Undefined: the only environment of the project file. */
  readonly environment: string | undefined;
  /** `metadata.name` of the project file, if the fleet file names it. */
  readonly projectName: string | undefined;
  /** The only destination of its token. */
  readonly baseUrl: string;
  /** The source of its token: an absolute path, or an environment variable. */
  readonly token: { readonly file: string } | { readonly env: string };
  readonly account: AccountPin | undefined;
  readonly tags: readonly string[];
  /** From 1. */
  readonly wave: number;
  /** Creates diagnostics at its entry in the fleet file. */
  readonly declared: (code: DiagnosticCode, message: string, hint?: string, field?: string) => Diagnostic;
}

interface Fleet {
  readonly name: string;
  /** In the order of the file. For a pattern, in the order of the folders. */
  readonly units: readonly Unit[];
}

export interface FleetChoice {
  /** `--fleet FILE`. Default: `fleet.yaml` in the working directory. */
  readonly fleet?: string;
  /** Names. * stands for any text. */
  readonly select?: readonly string[];
  readonly tag?: readonly string[];
  /** Names of units that are left out. */
  readonly exclude?: readonly string[];
}

export interface OpenedFleet extends Fleet {
  /** The name of the file in diagnostics. */
  readonly file: string;
  /** The absolute path of the file. */
  readonly path: string;
  readonly sources: Texts;
  /** In an emergency, the errors of the file: it may contain further units. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the fleet file and finds its projects. Fails with exit 3 and everything that is wrong with it. In an emergency, errors are
 * only reported as long as there are units.
 */
export function openFleet({ fleet: named }: FleetChoice, io: Io, emergency = false): OpenedFleet {
  const { cwd, env } = io;
  const path = resolve(cwd, named ?? FLEET_FILE);
  if (named === undefined && !existsSync(path))
    throw CommandFailure.of(
      3,
      'no-project-file',
      `no ${FLEET_FILE} here`,
      'Name the fleet file with --fleet FILE; `tradeform fleet init` writes one.',
    );
  // A user who names the file has said which one to use.
  const others = named === undefined ? othersFile(path, env) : undefined;
  if (others !== undefined) throw new CommandFailure(3, [others]);
  const source = requireNamed(path, named ?? FLEET_FILE);
  const sources = new Map([[source.file, source.text]]);
  const { fleet, diagnostics } = readFleet(source, dirname(path));
  if (fleet === undefined || fleet.units.length === 0 || (diagnostics.length > 0 && !emergency))
    throw new CommandFailure(3, diagnostics, sources);
  if (diagnostics.length > 0) showDiagnostics(diagnostics, io, sources);
  return { ...fleet, file: source.file, path, sources, diagnostics };
}

/** The units that `--select`, `--tag` and `--exclude` choose. Fails (exit 3) for a word that matches none. */
export function chosenUnits(fleet: Fleet, { select, tag, exclude = [] }: FleetChoice): readonly Unit[] {
  const names = fleet.units.map(({ name }) => name);
  const tags = fleet.units.flatMap((unit) => unit.tags);
  const given = [
    ...(select ?? []).map((word) => ({ option: '--select', word, known: names })),
    ...exclude.map((word) => ({ option: '--exclude', word, known: names })),
    ...(tag ?? []).map((word) => ({ option: '--tag', word, known: tags })),
  ];
  const unknown = given.flatMap(({ option, word, known }): readonly Diagnostic[] => {
    if (isAmong(known, [word])) return [];
    const near = didYouMean(word, known)?.replace(/^d/, 'D');
    return [problem('target-unknown', `${option} ${word} matches no unit of the fleet`, near)];
  });
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
  const units = fleet.units.filter(
    ({ name, tags: own }) =>
      (select === undefined || isAmong([name], select)) &&
      !isAmong([name], exclude) &&
      (tag === undefined || isAmong(own, tag)),
  );
  if (units.length === 0)
    throw usage(
      '--select, --tag and --exclude together leave no unit',
      'A unit must match all given options.',
    );
  return units;
}

/**
 * Folders with a project file, absolute and in order, and the unreadable folders with the reasons. An unreadable project file counts: its unit is refused, not left out. Names with a
 * leading point match only if the pattern has that point. An unreadable folder on the way may contain units, so it does not count
 * as empty.
 */
export function projectFolders(pattern: string): {
  readonly folders: readonly string[];
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
} {
  const unreadable: { folder: string; reason: string }[] = [];
  const matching = (folder: string, part: string): readonly string[] => {
    try {
      return foldersIn(folder, part);
    } catch (error) {
      unreadable.push({ folder, reason: systemWords(error) });
      return [];
    }
  };
  const { root } = parse(pattern);
  let folders = [root];
  for (const part of pattern
    .slice(root.length)
    .split(sep)
    .filter((one) => one !== ''))
    folders = folders.flatMap((folder) =>
      isPattern(part) ? matching(folder, part) : [folder === '' ? part : join(folder, part)],
    );
  return { folders: folders.filter(holdsProject), unreadable };
}

function holdsProject(folder: string): boolean {
  try {
    return isFolder(folder) && lstatSync(join(folder, PROJECT_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function foldersIn(folder: string, pattern: string): readonly string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith('.') === pattern.startsWith('.'))
    .filter((name) => matchesWildcard(pattern, name, '?'))
    .sort()
    .map((name) => join(folder, name));
}

/** False for a file or a missing path. Fails for a link without a target, whose folder may come back. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && statSync(path).isDirectory();
}

const UNIT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * The units of a fleet file, with everything that is wrong with it. `home` is its folder. Entries without a pattern win: a folder
 * that such an entry names is left out of the patterns for the same environment. A fleet with an error serves only `fleet pause`:
 * units may lack a host or token.
 */
function readFleet(source: Source, home: string): { fleet?: Fleet; diagnostics: readonly Diagnostic[] } {
  const other = 'the fleet file must contain exactly one document, of kind Fleet';
  const { manifest: file, diagnostics: found } = readOneDocument(source, 'Fleet', other);
  if (file === undefined) return { diagnostics: found };
  const reader = new FleetReader(file, home);
  const fleet = { name: file.name ?? '', units: reader.units() };
  // If the file has the wrong shape, further errors may only be consequences.
  return { fleet, diagnostics: found.length > 0 ? found : reader.diagnostics };
}

class FleetReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: Manifest;
  readonly #home: string;
  readonly #waves: readonly (readonly string[])[];
  /** Variables that contain a unit's name. */
  readonly #filled = new Set<string>();

  constructor(file: Manifest, home: string) {
    this.#file = file;
    this.#home = home;
    const waves = (file.list('spec', 'waves') ?? []).filter((wave) => Array.isArray(wave));
    this.#waves = waves.map((patterns) => patterns.map(String));
  }

  units(): readonly Unit[] {
    const entries = (this.#file.list('spec', 'units') ?? []).map((entry, index) => ({
      entry: isObject(entry) ? entry : {},
      path: ['spec', 'units', index] as const,
    }));
    const single = entries.filter(({ entry }) => !isPattern(String(entry.project)));
    const named = new Map(
      single.map(({ entry, path }) => [path[2], this.#unit(entry, path, this.#at(String(entry.project)))]),
    );
    const taken = new Set([...named.values()].map(placeOf));
    const units = entries.flatMap(({ entry, path }) => {
      const own = named.get(path[2]);
      return own === undefined ? this.#matched(entry, path, taken) : [own];
    });
    this.#checkDoubles(units);
    return units;
  }

  /** A unit for each folder that the pattern of an entry matches. */
  #matched(entry: JsonObject, path: Path, taken: ReadonlySet<string>): readonly Unit[] {
    for (const field of ['name', 'account', 'project_name']) {
      if (entry[field] === undefined) continue;
      const message = `${field} cannot be combined with a pattern, which is for many units`;
      this.#found([...path, field], { code: 'invalid-value', message, hint: 'write a separate unit' });
    }
    const { folders, unreadable } = projectFolders(this.#at(String(entry.project)));
    for (const { folder, reason } of unreadable) {
      const message = `the folder ${folder} could not be read: ${reason}`;
      const hint = 'its units are unknown: make the folder readable, or write the units one by one';
      this.#found([...path, 'project'], { code: 'file-unreadable', message, hint });
    }
    if (folders.length === 0 && unreadable.length === 0) {
      const message = `no folder with a tradeform.yaml matches ${String(entry.project)}`;
      this.#found([...path, 'project'], { code: 'no-project-file', message });
    }
    return folders
      .map((folder) => this.#unit(entry, path, folder))
      .filter((unit) => !taken.has(placeOf(unit)));
  }

  #unit(entry: JsonObject, path: Path, folder: string): Unit {
    const text = (field: string) => (typeof entry[field] === 'string' ? entry[field] : undefined);
    const name = text('name') ?? folder.split(/[\\/]/).findLast((part) => part !== '') ?? '';
    if (!UNIT_NAME.test(name)) {
      const message = `the folder ${JSON.stringify(name)} cannot be the name of a unit`;
      const hint = 'write name: a letter or digit, then up to 62 of A-Z a-z 0-9 . _ -';
      this.#found([...path, 'project'], { code: 'invalid-name', message, hint });
    }
    const tags = Array.isArray(entry.tags) ? entry.tags.map(String) : [];
    return {
      name,
      folder,
      environment: text('environment'),
      projectName: text('project_name'),
      baseUrl: this.#baseUrl(text('base_url'), path),
      token: this.#token(name, text('token_file'), text('token_env'), path),
      account: isObject(entry.account) ? (entry.account as AccountPin) : undefined,
      tags,
      wave: typeof entry.wave === 'number' ? entry.wave : this.#waveOf(name, tags, path),
      declared: (code, message, hint, field) =>
        this.#file.diagnostic(field === undefined ? path : [...path, field], {
          code,
          message,
          ...given({ hint }),
        }),
    };
  }

  #baseUrl(own: string | undefined, path: Path): string {
    const written = own ?? this.#file.text('spec', 'base_url');
    if (written === undefined) {
      const hint = 'write base_url here, or spec.base_url for all units: a token is sent only there';
      this.#found(path, { code: 'base-url-missing', message: 'the unit has no base_url', hint });
      return '';
    }
    const check = checkBaseUrl(written);
    if (check.ok) return check.url;
    const message = `base_url cannot be used: ${check.problem}`;
    const hint = 'write https://HOST/v1, with the version segment';
    const place = own === undefined ? ['spec', 'base_url'] : [...path, 'base_url'];
    this.#found(place, { code: 'base-url-invalid', message, hint });
    return '';
  }

  #token(name: string, file: string | undefined, env: string | undefined, path: Path): Unit['token'] {
    if ((file === undefined) === (env === undefined)) {
      const [message, hint] =
        file === undefined
          ? ['the unit does not say where its token is', 'write token_file or token_env']
          : ['token_file cannot be combined with token_env', 'remove one of them'];
      this.#found(path, { code: file === undefined ? 'token-missing' : 'invalid-value', message, hint });
    }
    const filled = (text: string) => text.replaceAll('{name}', name).replaceAll('{NAME}', variableName(name));
    if (env === undefined) return { file: this.#at(filled(file ?? '')) };
    const variable = filled(env);
    if (variable !== env) this.#filled.add(variable);
    return { env: variable };
  }

  #waveOf(name: string, tags: readonly string[], path: Path): number {
    if (this.#waves.length === 0) return 1;
    const wave = this.#waves.findIndex((patterns) => isAmong([name, ...tags], patterns));
    if (wave < 0) {
      const message = `no wave names ${name} or one of its tags`;
      this.#found(path, { code: 'missing-field', message, hint: 'write ["*"] as the last of spec.waves' });
    }
    return wave + 1;
  }

  #checkDoubles(units: readonly Unit[]): void {
    const names = new Set<string>();
    const places = new Map<string, string>();
    const variables = new Map<string, string>();
    for (const { name, folder, environment, token, declared } of units) {
      const other = places.get(placeOf({ folder, environment }));
      if (names.has(name)) {
        const message = `two units have the name ${name}`;
        this.diagnostics.push(declared('duplicate-name', message, 'give one of them its own name'));
      } else if (other !== undefined) {
        const message = `${other} and ${name} are the same project and environment`;
        const hint = 'a project belongs to one account of the fleet: remove one of them';
        this.diagnostics.push(declared('account-shared', message, hint));
      }
      names.add(name);
      places.set(placeOf({ folder, environment }), name);
      // `a-b` and `a.b` give one variable, so a new folder would get the token of another account.
      const variable = 'env' in token ? token.env : undefined;
      const owner = variable === undefined ? undefined : variables.get(variable);
      if (variable === undefined) continue;
      if (owner !== undefined && owner !== name && this.#filled.has(variable)) {
        const message = `${owner} and ${name} both take their token from ${variable}`;
        const hint = 'give one of them another name, or a token_env of its own';
        this.diagnostics.push(declared('account-shared', message, hint));
      }
      variables.set(variable, name);
    }
  }

  #at(path: string): string {
    return isAbsolute(path) ? join(path) : join(this.#home, path);
  }

  #found(path: Path, problem: Parameters<Manifest['diagnostic']>[1]): void {
    // One entry may define many units that share one base URL.
    const diagnostic = this.#file.diagnostic(path, problem);
    const known = this.diagnostics.some(
      ({ message, location }) =>
        message === diagnostic.message &&
        location?.line === diagnostic.location?.line &&
        location?.column === diagnostic.location?.column,
    );
    if (!known) this.diagnostics.push(diagnostic);
  }
}

/** `eu-1` → `EU_1`. */
export function variableName(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

function isPattern(path: string): boolean {
  return /[*?]/.test(path);
}

function isAmong(words: readonly string[], patterns: readonly string[]): boolean {
  return patterns.some((pattern) => words.some((word) => matchesWildcard(pattern, word)));
}

function placeOf({ folder, environment }: Pick<Unit, 'folder' | 'environment'>): string {
  return JSON.stringify([folder.replace(/[\\/]+$/, ''), environment ?? null]);
}
