import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isConfirmed, tokenHost } from '../../core/command/confirmed-hosts.ts';
import type { Io } from '../../core/command/io.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { systemWords } from '../../core/command/system-words.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import { CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { checkBaseUrl } from '../../core/model/base-url.ts';
import type { TokenPlace } from '../../core/model/token.ts';
import { FLEET_FILE, PROJECT_FILE } from '../../core/project/find-project.ts';
import { readEnvironments, readSettings } from '../../core/project/settings.ts';
import { paragraph } from '../../core/render/layout.ts';
import type { FleetOptions } from './fleet.ts';
import { variableName } from './fleet-file.ts';
import { withoutServices } from './run-unit.ts';

/** The maximum depth of folders to search. */
const DEEPEST = 6;

/**
 * `tradeform fleet init [DIR]`: writes a fleet file with a unit for each environment of each project in DIR or below. The host is
 * `--base-url` or `TRADEFORM_BASE_URL`. A project file never decides where a token goes: its host and its token place are used
 * only if the operator confirmed the token for the host, and are comments otherwise. Sends nothing. An existing file is left
 * unchanged (exit 3), and nothing is written if a project file has errors.
 */
export async function runInitFleet(
  directory: string | undefined,
  options: FleetOptions,
  io: Io,
): Promise<number> {
  const file = options.fleet ?? FLEET_FILE;
  const path = resolve(io.cwd, file);
  if (existsSync(path))
    throw usage(`${file} exists already`, 'Change it, or use another file with --fleet FILE.');
  const home = dirname(path);
  const folders = projectsBelow(resolve(io.cwd, directory ?? '.'), DEEPEST);
  if (folders.length === 0)
    throw usage(`there is no ${PROJECT_FILE} below`, 'Name the folder of your projects.');
  const taken = new Set<string>();
  const base = options.baseUrl ?? (io.env.TRADEFORM_BASE_URL || undefined);
  const found = folders.flatMap((folder) => unitsOf(folder, home, taken, { env: io.env, base }));
  // Without its account and project name, a unit would be found neither by an account pin nor by a pause.
  const problems = [...new Map(found.map(({ folder, problems }) => [folder, problems])).values()].flat();
  const sources = new Map(found.flatMap((unit) => [...unit.sources]));
  if (problems.length > 0) throw new CommandFailure(3, problems, sources);
  const hostless = found.filter((unit) => !unit.hasHost).length;
  const head = base === undefined ? '' : `  base_url: ${JSON.stringify(base)}\n`;
  const text = `# Accounts of a fleet, and where the token of each is sent. Keep this file where only its operators can change it.\n# \`tradeform explain Fleet.spec\` lists all fields.\napiVersion: tradeform/v1\nkind: Fleet\nmetadata:\n  name: fleet\nspec:\n${head}  units:\n${found.map((unit) => unit.text).join('')}`;
  await writeProjectFile({ path, text, name: file });
  const hosts =
    hostless === 0
      ? ''
      : ` ${hostless} of them have no base_url: write it, or run \`fleet init\` again with --base-url.`;
  const next = `Wrote ${file}: ${found.length} units.${hosts} Set the tokens, and run \`tradeform fleet validate\`.`;
  return presentAnswer(
    { command: 'fleet init', units: found.length },
    (_shown, { columns }) => paragraph(next, columns),
    options,
    io,
  );
}

/** Fails with exit 3 for a folder that cannot be read: it may contain projects. */
function projectsBelow(folder: string, deep: number): readonly string[] {
  if (existsSync(join(folder, PROJECT_FILE))) return [folder];
  if (deep === 0) return [];
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => projectsBelow(join(folder, name), deep - 1));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw usage(`${folder} cannot be read: ${systemWords(error)}`, 'Name the folder of your projects.');
  }
}

function unitsOf(
  folder: string,
  home: string,
  taken: Set<string>,
  { env, base }: { readonly env: Io['env']; readonly base: string | undefined },
) {
  const request = { cwd: folder, env: withoutServices(env), projectFile: undefined };
  const { environments } = readEnvironments(request);
  return (environments.length === 0 ? [undefined] : environments).map((environment) => {
    const { settings, diagnostics, sources: texts } = readSettings({ ...request, environment });
    const project = relative(home, folder).replaceAll(sep, '/') || '.';
    const inHome = (name: string) => (project === '.' ? name : `${project}/${name}`);
    const sources = [...texts.keys()].map((name): [string, string] => [inHome(name), texts.get(name) ?? '']);
    const problems = diagnostics.flatMap((one) => {
      const { location, severity } = one;
      if (severity !== 'error') return [];
      return location === undefined
        ? one
        : { ...one, location: { ...location, file: inHome(location.file) } };
    });
    const suffix = environments.length > 1 ? `-${environment}` : '';
    const short = `${basename(folder)}${suffix}`;
    const name = nameFor(taken.has(short) ? `${project}${suffix}` : short);
    taken.add(name);
    const { token: proposed, baseUrl: host = '' } = settings ?? {};
    const isOurs = (token: TokenPlace) => {
      const check = checkBaseUrl(base ?? host);
      return check.ok && isConfirmed(tokenHost(token, check.url, folder), env);
    };
    const own = proposed !== undefined && isOurs(proposed) ? proposed : undefined;
    const hasHost = base !== undefined || isOurs(own ?? { env: `${VARIABLE}${variableName(name)}` });
    // A variable with the name of the unit, unless the operator confirmed the place that the project file names.
    const place = own ?? { env: `${VARIABLE}{NAME}` };
    const lines: readonly (readonly [string, unknown])[] = [
      ['project', project],
      ['environment', environment],
      ['project_name', settings?.project],
      ['base_url', base === undefined && hasHost ? host : undefined],
      ['token_env', 'env' in place ? place.env : undefined],
      [
        'token_file',
        'file' in place ? relative(home, resolve(folder, place.file)).replaceAll(sep, '/') : undefined,
      ],
      ['account', settings?.account],
    ];
    const written = lines.flatMap(([key, value]) =>
      value === undefined ? [] : [`      ${key}: ${JSON.stringify(value)}\n`],
    );
    const unsaid =
      proposed === undefined || own !== undefined
        ? ''
        : `${UNCONFIRMED} the token is in ${JSON.stringify('env' in proposed ? proposed.env : proposed.file)}\n`;
    const text = [
      `    - name: ${JSON.stringify(name)}\n`,
      ...written,
      hasHost ? '' : hostComment(host),
      unsaid,
    ];
    return { text: text.join(''), hasHost, folder, problems, sources };
  });
}

const VARIABLE = 'TRADEFORM_TOKEN_';
const UNCONFIRMED = '      # The project file says, and nobody has confirmed:';

/** Written as JSON, so that any text of a project file stays on one line. */
function hostComment(host: string): string {
  return host === ''
    ? '      # base_url: https://HOST/v1\n'
    : `${UNCONFIRMED} base_url: ${JSON.stringify(host)}\n`;
}

function nameFor(text: string): string {
  return (
    text
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63) || 'unit'
  );
}
