import { Argument, type Command } from 'commander';
import type { CommentKind } from '../../src/kit/comment/comment.ts';
import { addOnlyOption, type Declare } from '../options.ts';

const KINDS: readonly CommentKind[] = ['plan', 'reviewed', 'result', 'drift', 'newest'];

/** What jobs of CI write on their forge. */
export function addComment(program: Command, { runs }: Declare): void {
  runs(
    addOnlyOption(program.command('comment'))
      .description('what a job of CI writes on a pull or merge request')
      .addArgument(new Argument('<what>', 'one of the comments below').choices(KINDS))
      .argument(
        '[name]',
        'NAME.json and NAME.md, from --report; for reviewed: the folder that it writes; for newest: none',
      )
      .option('--fleet <file>', 'the fleet file, if the comment is about a fleet')
      .option('--expect <what>', 'for reviewed: reviewed (default), none, or a digest (all 64 digits)')
      .option(
        '--rollback <commit>',
        'for reviewed: the earlier commit to go back to, as `tradeform rollback` does',
      )
      .option('--reviewed <folder>', 'for result: the folder that `comment reviewed` wrote')
      .option('--labels <prefix>', 'for plan: how its labels begin (default: "tradeform: "); "" sets none')
      .option('--label <name>', 'for drift: the label of its issue (default: tradeform-drift)'),
    async () => (await import('../../src/kit/comment/comment.ts')).runComment,
    { token: 'named' },
  );
}
