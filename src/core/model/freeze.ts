/**
 * True for a label that freezes (DESIGN 3, "The freeze"): its shown name is `freeze`, alone or before a space or another sign
 * and a reason. Telephones write the first letter large, and web pages put other spaces and invisible signs into names.
 */
export function isFreeze({ name }: { readonly name: string }): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*freeze(?![\p{L}\p{N}_])/iu.test(name);
}

const OF_SWITCH = /^freeze paused?(?: ([a-z0-9-]{1,12}))?$/;

/** The label of `pause --all`: one for each project, and one for the account. At most 32 characters. */
export function switchFreeze(project: string | undefined, word: 'pause' | 'paused' = 'pause'): string {
  return ['freeze', word, ...(project === undefined ? [] : [project])].join(' ');
}

/** The project that a label of the switch freezes: '' for the account. Undefined for a label of somebody else. */
export function switchFreezeOf({ name }: { readonly name: string }): string | undefined {
  const found = OF_SWITCH.exec(name);
  return found === null ? undefined : (found[1] ?? '');
}

/** Of a token without a scope for labels. */
export const FREEZE_UNSEEN = 'it does not see whether a label freezes the account';
