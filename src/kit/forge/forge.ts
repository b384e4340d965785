import type { Event, ForgeName } from '../../core/command/event.ts';
import { valueAt } from '../../core/model/json.ts';
import { headerOf, type WrittenHeader } from '../../core/render/markdown/header.ts';

/** A comment or an issue that begins with a header of tradeform, and that the account of this token wrote. */
export interface OwnText {
  /** Of a comment its id, of an issue its number. */
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly header: WrittenHeader;
  /** When it was written or edited last. */
  readonly updated: string;
  /** Only of an issue. */
  readonly open: boolean;
}

export interface Issue {
  readonly title: string;
  readonly body: string;
  readonly label: string;
  readonly open: boolean;
}

/** A commit, the pull request that brought it, and when that was merged. */
export interface Merged {
  readonly pull: number;
  readonly commit: string;
  readonly at: string;
}

/** How messages name what a forge has. */
export interface ForgeWords {
  /** A job that applies is a deployment, which says what was applied. */
  readonly deploys: boolean;
  readonly request: string;
  readonly run: string;
  /** How to start an apply by hand. Begins with a small letter. */
  readonly byHand: string;
  /** The input that takes a digest. */
  readonly expect: string;
  /** How it also takes back what people changed. */
  readonly whole: string;
  /** How labels of a pull request begin. Empty: its usual token may set none. */
  readonly labels: string;
}

const ACTIONS: ForgeWords = {
  deploys: false,
  request: 'pull request',
  run: 'run',
  byHand: 'run the apply workflow by hand',
  expect: 'expect',
  whole: '`only` = `all`',
  labels: 'tradeform: ',
};

export const WORDS: Readonly<Record<ForgeName, ForgeWords>> = {
  github: ACTIONS,
  gitea: ACTIONS,
  gitlab: {
    deploys: true,
    request: 'merge request',
    run: 'pipeline',
    byHand: 'run the pipeline of the default branch by hand',
    expect: 'EXPECT',
    whole: 'an empty `TRADEFORM_ONLY`',
    labels: '',
  },
};

/**
 * One repository on a forge, as the account of one token sees it. Anybody can write a text that begins with a header, so texts of
 * other accounts are neither returned nor changed. What creates something may end without an answer: call it in `untilAnswered`.
 */
export interface Forge {
  /** The commit of a branch now. A checkout may be as old as its job. */
  head(branch: string): Promise<string>;
  /** A pull request as it is now, and its newest commit. */
  request(pull: number): Promise<{ readonly open: boolean; readonly head: string }>;
  comments(pull: number): Promise<readonly OwnText[]>;
  /** Writes over the comment with this id, or a new one. Returns its URL. */
  putComment(pull: number, body: string, id?: number): Promise<string>;
  deleteComment(pull: number, id: number): Promise<void>;
  /** Of these labels, in whatever case, a pull request has only the `held` ones from now on. Missing ones are made. */
  setLabels(pull: number, all: readonly string[], held: readonly string[]): Promise<void>;
  /** Issues with this label, the newest first. */
  issues(label: string): Promise<readonly OwnText[]>;
  /** Writes over the issue with this number, or a new one. Returns its URL. */
  putIssue(issue: Issue, id?: number): Promise<string>;
  /**
   * Which of these commits, the newest first, a pull request of this repository brought: squashed, rebased or as a merge commit. Only
   * those into this branch count: somebody who merged the same commit into another branch may have done so without a review.
   */
  merged(commits: readonly string[], branch: string): Promise<readonly Merged[]>;
  /**
   * What was applied whole last, along these commits, the newest first: `index` of the head then, and that commit or an earlier one that
   * was rolled back to. `place`: the context of a commit status or, on GitLab, the environment of a deployment.
   */
  lastApplied(
    commits: readonly string[],
    place: string,
  ): Promise<(Pick<Merged, 'commit'> & { readonly index: number }) | undefined>;
  /** Records with the commit of this job what was applied whole: this commit, or an earlier one. */
  recordApplied(job: Pick<Event, 'sha' | 'branch' | 'runUrl'>, applied: string, place: string): Promise<void>;
  close(): Promise<void>;
}

/** The texts in a list of a host that have a header and are the account's own. */
export function ownTexts(
  entries: readonly unknown[],
  isOwn: (entry: unknown) => boolean,
  urlOf: (entry: unknown) => string,
): readonly OwnText[] {
  return entries.flatMap((entry) => {
    const id = valueAt(entry, 'number') ?? valueAt(entry, 'iid') ?? valueAt(entry, 'id');
    const body = valueAt(entry, 'description') ?? valueAt(entry, 'body');
    if (typeof id !== 'number' || typeof body !== 'string' || !isOwn(entry)) return [];
    const header = headerOf(body);
    const open = /^open/.test(String(valueAt(entry, 'state')));
    const updated = String(valueAt(entry, 'updated_at'));
    return header === undefined ? [] : [{ id, url: urlOf(entry), body, header, updated, open }];
  });
}
