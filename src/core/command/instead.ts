/** What similar tools call a command or an option, commands that people give an address, and words that are none of tradeform. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  validate: ['check', 'lint'],
  render: ['compile', 'template'],
  plan: ['diff', 'preview', 'refresh'],
  apply: ['deploy', 'sync', 'up'],
  'apply, after its manifests are removed from git': ['destroy', 'delete', 'remove', 'rm'],
  '--auto-approve': ['-y', '--yes'],
  '--target ADDRESS': ['-t', 'plan', 'drift'],
  'init --from-live': ['import', 'adopt'],
  '--only pending, or no --only: everything': ['--only change'],
  log: ['history', 'logs'],
  rollback: ['undo', 'revert'],
  'plan, or rollback REV, which shows its plan and asks': ['--dry-run'],
  fmt: ['format'],
  pause: ['stop', 'halt', 'off', 'kill', 'suspend', 'disable', 'freeze'],
  resume: ['start', 'on', 'unpause', 'continue', 'restart', 'enable'],
  status: ['list', 'ls', 'ps', 'show'],
  'release --id ID, or a Removal with release: true for what git names': ['release'],
  'resume --all --auto-approve in cron (a pause has no end of its own)': ['--for', '--due'],
  'plan: it orders the requests, and refuses what cannot be done': ['rehearse', '--rehearse'],
  'apply FILE, which plans again and carries out what is left of the plan in it': [
    '--expect FILE',
    '--replan',
  ],
  '--version': ['version'],
  '--select, --exclude and --tag, or plan --base REV, which says what a change does': ['--changed-since'],
  'The comment about an apply is always written: leave this option out.': ['--no-tell'],
  'The page is an artifact of the job: upload the file of --report html=FILE.': ['--page'],
  'Output shows the wallets that the manifests show: give it to those who may read the repository.': [
    ...['--redact-wallets', '--redact', 'TRADEFORM_REDACT_WALLETS'],
  ],
};

/** What to use in place of a word that is no command, option or variable of tradeform: a sentence. Undefined if nothing is known. */
export function insteadOf(word: string): string | undefined {
  const [meant] = Object.entries(INSTEAD).find(([, words]) => words.includes(word)) ?? [];
  return meant?.endsWith('.') === false ? `Did you mean ${meant}?` : meant;
}
