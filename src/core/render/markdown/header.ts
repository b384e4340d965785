import { given } from '../../model/given.ts';
import type { Approval } from '../../plan/review/approval.ts';
import type { ListedChange } from '../../plan/review/digest.ts';
import { percentEncoded } from './escape.ts';

/**
 * The hidden first line, by which a comment is found and updated in place: `<!-- tradeform:plan project=core
 * environment=production digest=1f… -->`. `-` stands for a missing value. `fleet plan` is spelled `fleetplan`.
 */
export function hiddenHeader(
  command: string,
  { project, environment, digest }: Readonly<Record<'project' | 'environment' | 'digest', string | null>>,
): string {
  const spelled = (value: string | null) => (value === null ? undefined : encoded(value));
  return headerLine({
    command: command.replace(' ', ''),
    project: spelled(project) ?? '-',
    environment: spelled(environment) ?? '-',
    digest: spelled(digest),
  });
}

/** The fields of a header as its line spells them. */
export interface WrittenHeader {
  readonly command: string;
  /** `-` if the project file could not be read. */
  readonly project: string;
  /** `-` without an environment. */
  readonly environment: string;
  /** Undefined without a plan. */
  readonly digest: string | undefined;
}

/** The line of a header whose fields are spelled already. */
export function headerLine({ command, project, environment, digest = '-' }: WrittenHeader): string {
  return `<!-- tradeform:${command} project=${project} environment=${environment} digest=${digest} -->`;
}

const HEADER =
  /^<!-- tradeform:([a-z]+) project=([^\s<>]+) environment=([^\s<>]+) digest=([0-9a-f]{64}|-) -->(?:\r?\n|$)/;

/** The hidden first line of a text. Undefined if the text begins differently. */
export function headerOf(text: string): WrittenHeader | undefined {
  const match = HEADER.exec(text);
  if (match === null) return undefined;
  const [, command = '', project = '', environment = '', digest] = match;
  return { command, project, environment, digest: digest === '-' ? undefined : digest };
}

/** Percent-encoded, so that no value contains a space, ends the comment, or looks like a missing value. */
function encoded(value: string): string {
  return percentEncoded(value).replace(/^-|-(?=-)|-$/g, '%2D');
}

/**
 * The hidden second line of a plan, which tells an apply what was approved: `<!-- tradeform:changes
 * sniper/a:update+start:DIGEST:OUTCOME … order:DIGEST -->`. `:ID` follows if a resource must be gone. The digest in the first line
 * covers the list, without outcomes and ids. `order`: see `orderOf`.
 */
export function hiddenChanges(changes: readonly ListedChange[], order?: string): string {
  const words = changes.map(({ address, does, digest, outcome, id }) =>
    [encoded(address).replaceAll('%2F', '/'), does, digest, outcome, id && encoded(id)]
      .filter((word) => word !== undefined)
      .join(':'),
  );
  const after = order === undefined ? [] : [`order:${order}`];
  return ['<!-- tradeform:changes', ...words, ...after, '-->'].join(' ');
}

const ORDER = /^order:([0-9a-f]{32})$/;
const CHANGES_LINE = /^<!-- tradeform:changes((?: [^\s<>]+)*) -->\r?$/;
const CHANGE = /^([^\s:]+):([a-z+-]+):([0-9a-f]{32})(?::([0-9a-f]{32})(?::([^\s:]+))?)?$/;

/**
 * Reads the hidden lines of a plan in Markdown: its digest, and its changes if the list had room. Undefined if the text does not begin
 * with the lines of a complete plan.
 */
export function readHiddenApproval(text: string): Approval | undefined {
  const [first = '', second = ''] = text.split('\n', 2);
  const { command, digest } = headerOf(first.replace(/\r$/, '')) ?? {};
  if (command !== 'plan' || digest === undefined) return undefined;
  const words = CHANGES_LINE.exec(second)?.[1]?.trim();
  if (words === undefined) return { digest, changes: undefined };
  const changes = words.split(' ').flatMap((word) => {
    const [, written, does, own, outcome, id] = CHANGE.exec(word) ?? [];
    if (written === undefined || does === undefined || own === undefined) return [];
    return [{ address: decoded(written), does, digest: own, ...given({ outcome, id: id && decoded(id) }) }];
  });
  const order = words.split(' ').flatMap((word) => ORDER.exec(word)?.[1] ?? [])[0];
  return { digest, changes, order };
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
