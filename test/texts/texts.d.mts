export function printedTexts(): readonly {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}[];
