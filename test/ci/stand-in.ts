import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Answer {
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** For the files of `--report`. */
  readonly json?: object;
  readonly markdown?: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the files of `--expect-changes` held. */
  readonly files: readonly string[];
}

/** A program that stands in for tradeform and answers each command as it was told. Its path. */
export function standIn(folder: string, answers: Readonly<Record<string, Answer>>): string {
  const program = join(folder, 'stand-in.cjs');
  copyFileSync(join(import.meta.dirname, 'stand-in.cjs'), program);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify(answers));
  return program;
}

/** What it was called with, in order. */
export function callsOf(folder: string): readonly Call[] {
  const file = join(folder, 'calls');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Call);
}
