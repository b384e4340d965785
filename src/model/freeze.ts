/**
 * True for a label that freezes its account (DESIGN 3, "The freeze"): its shown name is `freeze`, alone or before a space or another sign
 * and a reason. Telephones write the first letter large, and web pages put other spaces and invisible signs into names.
 */
export function isFreeze({ name }: { readonly name: string }): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*freeze(?![\p{L}\p{N}_])/iu.test(name);
}

/** A label that `tradeform pause --all` set: with the project, if one was known. */
const OF_SWITCH = /^freeze pause (?:([a-z0-9-]+) )?[0-9a-f]{6}$/;

/** Each pause sets a label of its own, so that a resume at work ends no later one. `id`: 6 hex digits. At most 32 characters. */
export function switchFreeze(project: string | undefined, id: string): string {
  return ['freeze', 'pause', ...(project === undefined ? [] : [project]), id].join(' ');
}

/** The project whose `pause --all` set the label: '' if none was known. Undefined for a label of somebody else. */
export function switchFreezeOf({ name }: { readonly name: string }): string | undefined {
  const found = OF_SWITCH.exec(name);
  return found === null ? undefined : (found[1] ?? '');
}

/** Of a token without a scope for labels. */
export const FREEZE_UNSEEN = 'it does not see whether a label freezes the account';
