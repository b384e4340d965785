import { Freeze, frozenBy, readFreezes } from '../../act/freeze.ts';
import { runLabelStep } from '../../act/label-and-template-step.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure, type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { FREEZE_UNSEEN, switchFreezeOf } from '../../model/freeze.ts';
import type { LiveLabel } from '../../model/resource.ts';
import { visibleCollections } from '../../service/resources/account.ts';
import type { OperatorContext } from './context.ts';
import { urgent } from './freeze.ts';

/** What a resume has to know about the freeze of the account. */
export interface Thaw {
  /** The labels of the switch, which the resume deletes at its end. One that a later pause sets stands, and ends the starts. */
  readonly labels: readonly LiveLabel[];
  readonly said: readonly Diagnostic[];
  /** Looks again before each start. */
  readonly freeze: Freeze;
}

/**
 * Reads the freeze of the account. `ends`: the resume ends the freeze of the switch. `starts`: it would start tasks. Projects
 * beside, whose resume is part of the same command, delete their own labels. An error in `said` if another label, or a label that
 * nothing here deletes, forbids that.
 */
export async function thawOf(
  { ends, starts }: { ends: boolean; starts: boolean },
  { session, account, project: { project }, beside }: OperatorContext,
  io: Io,
): Promise<Thaw> {
  const requests = urgent(session, io);
  const seesLabels = account !== undefined && visibleCollections(account).has('label');
  const { labels, failure } = await readFreezes(requests, seesLabels);
  if (failure !== undefined && starts) throw CommandFailure.of(1, 'service-error', failure.text);
  const of = (projects: readonly (string | undefined)[]) => (label: LiveLabel) => {
    const owner = switchFreezeOf(label);
    return ends && owner !== undefined && projects.includes(owner);
  };
  const ended = labels.filter(of(['', project]));
  const lifted = [...ended, ...labels.filter(of(beside()))];
  const other = labels.find((one) => !lifted.includes(one));
  const unseen = starts && account !== undefined && !seesLabels;
  return {
    labels: ended,
    said: [
      ...(other && starts ? [problem('frozen', frozenBy(other).text, hintFor(other, project, ended))] : []),
      ...ended.map((label) =>
        warning('frozen', `${frozenBy(label).text} The resume deletes this label last.`),
      ),
      ...(unseen ? [warning('kind-not-visible', `the token cannot read label: ${FREEZE_UNSEEN}`)] : []),
    ],
    freeze: new Freeze(requests, seesLabels, lifted),
  };
}

function hintFor(label: LiveLabel, project: string | undefined, ended: readonly LiveLabel[]): string {
  const owner = switchFreezeOf(label);
  if (owner === undefined)
    return 'Somebody set this label. Delete it in the web application when the reason is gone.';
  if (owner === '' || owner === project)
    return 'Delete the label in the web application, and run the command again: what it does not name stays off. `tradeform resume --all` starts all that the switch stopped, and deletes the label itself.';
  const both = '`fleet resume --all` ends the freezes of all chosen units of an account';
  // The resume of the other project would be refused because of the label of this one.
  return ended.length > 0
    ? `Pauses of ${project} and ${owner} set a label each: ${both}. Without a fleet, delete this label in the web application.`
    : `A pause of project ${owner} set this label: \`tradeform resume --all --project-name ${owner}\` deletes it. ${both}.`;
}

/** Deletes the labels of the switch, and says what became of them. */
export async function endFreeze(
  labels: readonly LiveLabel[],
  { session }: OperatorContext,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const said: Diagnostic[] = [];
  for (const label of labels) {
    const end = await runLabelStep(label, null, urgent(session, io));
    const name = JSON.stringify(label.name);
    said.push(
      end.type === 'done'
        ? warning('frozen', `the label ${name} is deleted: an apply may start tasks again`)
        : problem('frozen', `The account is still frozen. ${end.failure.text}`, 'Run the command again.'),
    );
  }
  return said;
}
