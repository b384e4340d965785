import { readText } from '../../cmd/run.ts';

/** A row of the tables of docs/how-to/stuck.md and refused.md. */
export interface Row {
  /** The name of the state: the first cell up to its colon. */
  readonly key: string;
  /** What tradeform says, as patterns. */
  readonly words: readonly Phrase[];
  /** Command lines and lines of manifests, as patterns. */
  readonly ways: readonly Phrase[];
}

/** A piece of code of a cell; words in capitals stand for anything. */
export interface Phrase {
  readonly text: string;
  isIn(text: string): boolean;
  is(text: string): boolean;
}

export function rowsOfPage(): readonly Row[] {
  return ['stuck', 'refused'].flatMap((name) => {
    const page = readText(import.meta.dirname, `../../../docs/how-to/${name}.md`);
    const lines = page.split('\n').filter((line) => line.startsWith('| '));
    return lines.slice(1).map(rowOf);
  });
}

function rowOf(line: string): Row {
  const [first = '', , way = ''] = line.slice(1, -1).split(' | ');
  const key = /^\s*\*\*(.+?)\*\*: /.exec(first)?.[1];
  if (key === undefined) throw new Error(`a row without a name: ${line}`);
  return { key, words: phrases(first), ways: phrases(way) };
}

function phrases(cell: string): readonly Phrase[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => phraseOf(text));
}

function phraseOf(text: string): Phrase {
  const source = text
    .split(/(\b[A-Z]{2,}\b)/)
    .map((part, index) => (index % 2 === 1 ? '\\S+?' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  const inside = new RegExp(source);
  const whole = new RegExp(`^${source}$`);
  return { text, isIn: (other) => inside.test(other), is: (other) => whole.test(other) };
}
