import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import type { Io } from '../../command/io.ts';
import { showDiagnostics } from '../../command/show-diagnostics.ts';
import { systemWords } from '../../command/system-words.ts';
import { CommandFailure, type Diagnostic, problem, type Texts, usage } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import { FLEET_FILE, othersFile, PROJECT_FILE } from '../../project/find-project.ts';
import { readNamed } from '../../project/read-file.ts';
import { type Fleet, isNamed, isPattern, type MatchedFolders, readFleet, type Unit } from './units.ts';

/** The choice of units in the fleet. */
export interface FleetChoice {
  /** `--fleet FILE`. Default: `fleet.yaml` in the working directory. */
  readonly fleet?: string;
  /** Names. * stands for any text. */
  readonly select?: readonly string[];
  readonly tag?: readonly string[];
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
  const file = readNamed(path, named ?? FLEET_FILE);
  if ('diagnostic' in file) throw new CommandFailure(3, [file.diagnostic]);
  const { source } = file;
  const sources = new Map([[source.file, source.text]]);
  const { fleet, diagnostics } = readFleet(source, dirname(path), projectFolders);
  if (fleet === undefined || fleet.units.length === 0 || (diagnostics.length > 0 && !emergency))
    throw new CommandFailure(3, diagnostics, sources);
  if (diagnostics.length > 0) showDiagnostics(diagnostics, io, sources);
  return { ...fleet, file: source.file, path, sources, diagnostics };
}

/** The units that `--select` and `--tag` choose. Fails (exit 3) for a word that matches none. */
export function chosenUnits(fleet: Fleet, { select, tag }: FleetChoice): readonly Unit[] {
  const given = [
    ...(select ?? []).map((word) => ({ option: '--select', word, of: ({ name }: Unit) => [name] })),
    ...(tag ?? []).map((word) => ({ option: '--tag', word, of: ({ tags }: Unit) => tags })),
  ];
  const unknown = given.flatMap(({ option, word, of }): readonly Diagnostic[] => {
    const known = fleet.units.flatMap(of);
    if (known.some((one) => matchesWildcard(word, one))) return [];
    const near = didYouMean(word, known)?.replace(/^d/, 'D');
    return [problem('target-unknown', `${option} ${word} matches no unit of the fleet`, near)];
  });
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
  const units = fleet.units.filter(
    (unit) =>
      (select === undefined || isNamed({ name: unit.name, tags: [] }, select)) &&
      (tag === undefined || unit.tags.some((one) => tag.some((word) => matchesWildcard(word, one)))),
  );
  if (units.length === 0)
    throw usage('--select and --tag together match no unit', 'A unit must match all given options.');
  return units;
}

/**
 * Folders with a project file, in order. An unreadable project file counts: its unit is refused, not left out. Names with a
 * leading point match only if the pattern has that point. An unreadable folder on the way may contain units, so it does not count
 * as empty.
 */
export function projectFolders(pattern: string): MatchedFolders {
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
    .filter((one) => one !== '')) {
    folders = folders.flatMap((folder) =>
      isPattern(part) ? matching(folder, part) : [folder === '' ? part : join(folder, part)],
    );
  }
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
