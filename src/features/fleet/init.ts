import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isConfirmed, tokenHost } from '../../command/confirmed-hosts.ts';
import type { Io } from '../../command/io.ts';
import { writeProjectFile } from '../../command/write-file.ts';
import type { TokenPlace } from '../../desired/project.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import { FLEET_FILE, PROJECT_FILE } from '../../project/find-project.ts';
import { readEnvironments, readSettings } from '../../project/settings.ts';
import { paragraph } from '../../render/layout.ts';
import { jsonText, resultDocument } from '../../render/result.ts';
import { checkBaseUrl } from '../../service/http/base-url.ts';
import { withoutServices } from '../switch/environments.ts';
import type { FleetOptions } from './fleet.ts';

/** Folders below each other that are looked into. */
const DEEPEST = 6;

/**
 * `tradeform fleet init [DIR]`: writes a fleet file with a unit for each environment of each project in DIR or below. Hosts and pins
 * are `--base-url` or `TRADEFORM_BASE_URL`, else those of the project files: whoever keeps the file reads them once. A token place of a
 * project file is taken only where the operator has confirmed it for the host. Sends nothing; a file that is there is left (exit 3).
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
  const units = folders.flatMap((folder) => unitsOf(folder, home, taken, { env: io.env, base }));
  const head = base === undefined ? '' : `  base_url: ${JSON.stringify(base)}\n`;
  const text = `# Accounts of a fleet, and where the token of each is sent. Check every base_url: they come from the project files.\n# Keep this file where only its operators can change it. \`tradeform explain Fleet.spec\` lists all fields.\napiVersion: tradeform/v1\nkind: Fleet\nmetadata:\n  name: fleet\nspec:\n${head}  units:\n${units.join('')}`;
  await writeProjectFile({ path, text, name: file });
  if (options.output === 'json')
    io.stdout(jsonText({ ...resultDocument('fleet init', 0, []), units: units.length }));
  else {
    const next = `Wrote ${file}: ${units.length} units. Check each base_url, set the tokens, and run \`tradeform fleet validate\`.`;
    io.stdout(paragraph(next, io.columns));
  }
  return 0;
}

function projectsBelow(folder: string, deep: number): readonly string[] {
  if (existsSync(join(folder, PROJECT_FILE))) return [folder];
  if (deep === 0) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => projectsBelow(join(folder, name), deep - 1));
}

function unitsOf(
  folder: string,
  home: string,
  taken: Set<string>,
  { env, base }: { readonly env: Io['env']; readonly base: string | undefined },
): readonly string[] {
  const request = { cwd: folder, env: withoutServices(env), projectFile: undefined };
  const { environments } = readEnvironments(request);
  return (environments.length === 0 ? [undefined] : environments).map((environment) => {
    const { settings } = readSettings({ ...request, environment });
    const project = relative(home, folder).replaceAll('\\', '/') || '.';
    const suffix = environments.length > 1 ? `-${environment}` : '';
    const short = `${basename(folder)}${suffix}`;
    const name = nameFor(taken.has(short) ? `${project}${suffix}` : short);
    taken.add(name);
    const { token } = settings ?? {};
    const host = checkBaseUrl(base ?? settings?.baseUrl ?? '');
    const isOurs = token === undefined || (host.ok && isConfirmed(tokenHost(token, host.url, folder), env));
    const lines: readonly (readonly [string, unknown])[] = [
      ['project', project],
      ['environment', environment],
      ['project_name', settings?.project],
      ['base_url', base === undefined ? settings?.baseUrl : undefined],
      ...tokenLines(isOurs ? token : undefined, home, folder),
      ['account', settings?.account],
    ];
    const written = lines.flatMap(([key, value]) =>
      value === undefined ? [] : [`      ${key}: ${JSON.stringify(value)}\n`],
    );
    const url =
      settings?.baseUrl === undefined && base === undefined ? ['      # base_url: https://HOST/v1\n'] : [];
    const place = token !== undefined && 'env' in token ? token.env : token?.file;
    const unsaid = `      # The project file says that the token is in ${JSON.stringify(place)}; nobody has confirmed that for the host.\n`;
    return [`    - name: ${JSON.stringify(name)}\n`, ...written, ...url, isOurs ? '' : unsaid].join('');
  });
}

/** As the project file says it and the operator has confirmed it, else a variable of the unit's name. */
function tokenLines(
  token: TokenPlace = { env: 'TRADEFORM_TOKEN_{NAME}' },
  home: string,
  folder: string,
): readonly (readonly [string, string])[] {
  return 'env' in token
    ? [['token_env', token.env]]
    : [['token_file', relative(home, resolve(folder, token.file)).replaceAll('\\', '/')]];
}

function nameFor(text: string): string {
  return (
    text
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63) || 'unit'
  );
}
