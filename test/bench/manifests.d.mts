export function writeProject(
  folder: string,
  settings: { readonly tasks: number; readonly labels: number; readonly changed?: number },
): readonly string[];
