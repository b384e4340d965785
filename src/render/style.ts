import { styleText } from 'node:util';

/** The role of a piece of text. Its looks are defined in one place. */
export type Tone =
  | 'title'
  | 'add'
  | 'change'
  | 'remove'
  | 'start'
  | 'stop'
  | 'warn'
  | 'error'
  | 'dim'
  | 'strong';

export type Paint = (tone: Tone, text: string) => string;

const LOOKS = {
  title: 'bold',
  strong: 'bold',
  add: 'green',
  change: 'yellow',
  remove: 'red',
  start: ['bold', 'green'],
  stop: ['bold', 'red'],
  warn: 'yellow',
  error: 'red',
  dim: 'dim',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0] | readonly string[]>;

/** Whether to use colour was decided before, so Node's own detection is turned off. */
export function painter(color: boolean): Paint {
  if (!color) return (_tone, text) => text;
  return (tone, text) => {
    const look = LOOKS[tone];
    return text === ''
      ? text
      : styleText(typeof look === 'string' ? look : [...look], text, { validateStream: false });
  };
}
