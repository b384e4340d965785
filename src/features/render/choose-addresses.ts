import { CommandFailure, problem } from '../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../model/address.ts';
import { nearTask } from '../../plan/identity/known-task.ts';

/** The addresses that the patterns match. Without patterns, all. A pattern without a match is a typing error (exit 3). */
export function chooseAddresses(
  patterns: readonly string[],
  known: readonly string[],
  where: string,
): (address: string) => boolean {
  const hint =
    'an address is <collection>/<name> of a task, template or label, such as sniper/dawn; * stands for any text';
  const wrong = patterns.filter((pattern) => !known.some((address) => matchesAddress(pattern, address)));
  const problems = wrong.map((pattern) =>
    problem('target-unknown', `${pattern} matches nothing ${where}`, nearTask(pattern, known) ?? hint),
  );
  if (problems.length > 0) throw new CommandFailure(3, problems);
  return (address) => patterns.length === 0 || patterns.some((pattern) => matchesAddress(pattern, address));
}
