/** The formats of `-o` and `--report`, in the order of the help. `render` also has `yaml`. */
export const FORMATS = ['text', 'json', 'markdown', 'html', 'sarif', 'github', 'gitlab'] as const;

export type Format = (typeof FORMATS)[number];

export function isFormat(name: string): name is Format {
  return (FORMATS as readonly string[]).includes(name);
}
