import type { ApprovalOptions } from '../../command/approval.ts';
import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { nameOf } from '../../plan/identity/known-task.ts';
import type { Project } from '../../project/project.ts';
import { valueText } from '../../render/value-text.ts';
import type { OperatorOptions } from './context.ts';
import type { ResumeChoice } from './resume-choice.ts';

export interface StoredOptions extends ApprovalOptions, Pick<OperatorOptions, 'dryRun'> {
  /** `--as-stored`: confirms that a task spends differently than its manifest says. */
  readonly asStored?: boolean;
}

/** The manifests that tasks are compared with. `compared` is false if they cannot be read or belong to another project. */
interface Manifests {
  readonly compared: boolean;
  readonly project: Project;
}

/**
 * The diagnostics before tasks start as they are stored. An error if nobody will see that a task spends, or may spend, differently
 * than its manifest says: with `--auto-approve` and without `--as-stored`.
 */
export function checkStored(
  choices: readonly ResumeChoice[],
  { compared, project }: Manifests,
  { autoApprove, asStored, dryRun }: StoredOptions,
): readonly Diagnostic[] {
  const unseen = autoApprove === true && asStored !== true && dryRun !== true;
  const starts = choices.filter(({ type }) => type === 'start');
  if (starts.length === 0) return [];
  if (compared && unseen) return starts.flatMap(refusal);
  if (compared || starts.every(({ known }) => known.owner !== 'owned')) return [];
  const none =
    project.state !== undefined || project.diagnostics.some(({ code }) => code === 'no-project-file');
  if (none) return [NO_MANIFESTS];
  return [unread(project.declared !== undefined, unseen ? 'error' : 'warning')];
}

const NO_MANIFESTS: Diagnostic = warning(
  'resume-as-stored',
  'there are no manifests of this project here: tasks start with their stored config, without a comparison with git',
);

function unread(guarded: boolean, severity: Diagnostic['severity']): Diagnostic {
  return {
    severity,
    code: 'resume-as-stored',
    message: `the manifests cannot be read${guarded ? '' : ', nor the guardrails'}: it is unknown whether a task that starts can spend differently from its manifest`,
    hint: '`tradeform validate` shows what is wrong with them; --as-stored starts the stored configs anyway.',
  };
}

function refusal(choice: ResumeChoice): readonly Diagnostic[] {
  const { known, differs } = choice;
  if (differs === undefined) return [];
  const [first] = differs.fields;
  const values = differs.fields
    .slice(0, MOST_NAMED)
    .map(({ path, before, after, sensitive }) =>
      sensitive ? `${path}, which is secret` : `${path} is ${valueText(before)}, in git ${valueText(after)}`,
    );
  const more = differs.fields.length - values.length;
  return [
    {
      severity: 'error',
      code: 'resume-as-stored',
      message: `${nameOf(known)} would start with its stored config, which differs from its manifest: ${values.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
      hint: `${inGit(choice)} --as-stored accepts the stored config.`,
      ...(differs.address === known.address ? { address: differs.address } : {}),
      ...(first?.origin === undefined ? {} : { location: { ...first.origin } }),
    },
  ];
}

const MOST_NAMED = 3;

/** The text about a task that starts and can spend differently than its manifest says. Its fields follow. */
export function storedText(choice: ResumeChoice): string {
  const { differs } = choice;
  if (differs === undefined) return '';
  const stake = differs.exposure === null ? '' : `, ${differs.exposure} SOL per trigger in git`;
  return `It starts with its stored config, which differs from its manifest${stake}. ${inGit(choice)} Stored → in git:`;
}

/** The beginning of the manifest's values. */
function inGit({ known, differs }: ResumeChoice): string {
  const address = differs?.address ?? nameOf(known);
  return differs?.state === 'active'
    ? `\`tradeform apply --resume-stopped ${address}\` starts it with the config in git.`
    : '`tradeform apply` writes the config in git, and leaves the task off: resume it afterwards.';
}
