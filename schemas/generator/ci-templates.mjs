import { readFileSync } from 'node:fs';

const TRADEFORM = 'node_modules/.bin/tradeform';
const ONLY = `\${TRADEFORM_ONLY:+--only "$TRADEFORM_ONLY"}`;
const FLEET = '--fleet "$TRADEFORM_FLEET"';
const JOURNAL = '--journal=tradeform-journal';

/** What a step of CI is called on a host, besides what all hosts share. */
const ACTIONS = {
  // Where the branch left that one, also on a merge for trial.
  base: 'origin/$GITHUB_BASE_REF...',
  // A comment of GitHub has room for 65,536: the difference is for the lines below.
  bytes: '64000',
  quality: '',
  exec: 'exec ',
  checkout: 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0',
  upload: 'actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0',
  download: 'actions/download-artifact@37930b1c2abaa49bbe596cd826c3c89aef350131 # v7.0.0',
};
const HOSTS = {
  github: {
    ...ACTIONS,
    place: '.github/workflows',
    'forge-token': '${{ github.token }}',
    'checkout-main': [`uses: ${ACTIONS.checkout}`, 'with: { persist-credentials: false }'],
  },
  gitea: {
    ...ACTIONS,
    place: '.gitea/workflows',
    'forge-token': '${{ secrets.TRADEFORM_BOT_TOKEN }}',
    'checkout-main': [
      `uses: ${ACTIONS.checkout}`,
      'with:',
      '  repository: ${{ vars.TRADEFORM_REPOSITORY }}',
      '  ref: main',
      '  token: ${{ secrets.TRADEFORM_BOT_TOKEN }}',
      '  persist-credentials: false',
    ],
  },
  gitlab: {
    base: '$CI_MERGE_REQUEST_DIFF_BASE_SHA',
    bytes: 'gitlab-note',
    quality: ' --report gitlab=tradeform-quality.json',
    exec: '',
  },
};

/** The steps of CI, the same on every host. */
function steps({ base, bytes, quality, exec, upload }) {
  const reports = (name) => {
    const file = `tradeform-${name}`;
    const files = ['json', 'markdown', 'html'].map(
      (format) => `--report ${format}=${file}.${format.replace('markdown', 'md')}`,
    );
    return `--max-bytes ${bytes} ${files.join(' ')}`;
  };
  const expect = `--expect "\${EXPECT:-reviewed}"`;
  const rollback = `\${ROLLBACK:+--rollback "$ROLLBACK"}`;
  const due = '--auto-approve --reviewed tradeform-reviewed';
  const choose = [
    'set -f',
    'if [ -z "$LABEL" ] && [ "${TASKS-all}" = all ]; then',
    '  set -- --all',
    'elif [ -z "$LABEL" ]; then',
    '  # shellcheck disable=SC2086 # each word is a task',
    '  set -- -- $TASKS',
    'elif [ -z "${TASKS#all}" ]; then',
    '  set -- --label="$LABEL"',
    'else',
    '  echo "name tasks, or a label, and not both" >&2',
    '  exit 3',
    'fi',
    'if [ "$UNMANAGED" = true ]; then set -- --include-unmanaged "$@"; fi',
  ];
  const kept = (name, path, more) => [
    `uses: ${upload}`,
    `if: \${{ always() && github.server_url == 'https://github.com' }} # other servers are refused`,
    'with:',
    ...(name === undefined ? [] : [`  name: ${name}`]),
    `  path: ${path}`,
    ...more.map((line) => `  ${line}`),
    '  if-no-files-found: ignore',
  ];
  return {
    install: 'npm ci --ignore-scripts --no-audit --no-fund',
    validate: `${TRADEFORM} validate${quality}`,
    plan: `${TRADEFORM} plan ${ONLY} --base "${base}" ${reports('plan')}`,
    'comment-plan': `${TRADEFORM} comment plan tradeform-plan`,
    reviewed: `${TRADEFORM} comment reviewed tradeform-reviewed ${expect} ${rollback} ${ONLY}`,
    apply: `${TRADEFORM} apply ${due} ${ONLY} ${reports('apply')} ${JOURNAL}`,
    result: `${TRADEFORM} comment result tradeform-apply --reviewed tradeform-reviewed ${ONLY}`,
    drift: `${TRADEFORM} drift ${reports('drift')}${quality}`,
    'comment-drift': `${TRADEFORM} comment drift tradeform-drift`,
    newest: `${TRADEFORM} comment newest`,
    pause: [
      ...choose,
      'if [ -n "$TRADEFORM_PROJECT_NAME" ]; then set -- --project-name="$TRADEFORM_PROJECT_NAME" "$@"; fi',
      `${exec}${TRADEFORM} pause ${JOURNAL} "$@"`,
    ],
    'choose-resume': [...choose, 'if [ "$AS_STORED" = true ]; then set -- --as-stored "$@"; fi'],
    'fleet-pause': [
      'set -f --',
      'if [ "${ACCOUNTS:-all}" != all ]; then',
      '  for one in $ACCOUNTS; do set -- "$@" --select="$one"; done',
      'fi',
      'if [ "$UNMANAGED" = true ]; then set -- --include-unmanaged "$@"; fi',
      `${exec}${TRADEFORM} fleet pause --all ${FLEET} ${JOURNAL} "$@"`,
    ],
    'fleet-validate': `${TRADEFORM} fleet validate ${FLEET}${quality}`,
    'fleet-plan': `${TRADEFORM} fleet plan ${FLEET} ${ONLY} --base "${base}"`,
    'fleet-drift': `${TRADEFORM} fleet drift ${FLEET}`,
    'fleet-reviewed': `${TRADEFORM} comment reviewed tradeform-reviewed ${FLEET} ${expect} ${ONLY}`,
    'fleet-apply': `${TRADEFORM} fleet apply ${FLEET} ${due} ${ONLY} ${reports('apply')} ${JOURNAL}`,
    'fleet-result': `${TRADEFORM} comment result tradeform-apply ${FLEET} --reviewed tradeform-reviewed ${ONLY}`,
    'fleet-comment-plan': `${TRADEFORM} comment plan tradeform-plan ${FLEET}`,
    'fleet-comment-drift': `${TRADEFORM} comment drift tradeform-drift ${FLEET}`,
    'reports-plan': reports('plan'),
    'reports-drift': reports('drift'),
    ...Object.fromEntries(
      ['plan', 'apply', 'drift'].map((name) => [
        `upload-${name}`,
        kept(undefined, `tradeform-${name}.html`, ['archive: false # a page that opens in the browser']),
      ]),
    ),
    'upload-journal': kept('tradeform-journal-${{ github.run_attempt }}', 'tradeform-journal', []),
  };
}

/** The files of examples/ci, from the ones in the folder `ci`: `{NAME}` is a step, `@HOST` begins a line for that host alone. */
const FILES = {
  github: {
    'pull-request.yml': 'pull-request.yml',
    'apply.yml': 'apply.yml',
    'drift.yml': 'drift.yml',
    'stop.yml': 'stop.yml',
    'fleet-pull-request.yml': 'fleet-pull-request.yml',
    'fleet-apply.yml': 'fleet-apply.yml',
    'fleet-drift.yml': 'fleet-drift.yml',
    'fleet-stop.yml': 'fleet-stop.yml',
    'fleet-shards.yml': 'fleet-shards.yml',
  },
  gitea: {
    'pull-request.yml': 'pull-request.yml',
    'apply.yml': 'apply.yml',
    'drift.yml': 'drift.yml',
    'stop.yml': 'stop.yml',
    'fleet-pull-request.yml': 'fleet-pull-request.yml',
    'fleet-apply.yml': 'fleet-apply.yml',
    'fleet-drift.yml': 'fleet-drift.yml',
    'fleet-stop.yml': 'fleet-stop.yml',
  },
  gitlab: {
    '.gitlab-ci.yml': 'gitlab.yml',
    'tradeform.gitlab-ci.yml': 'gitlab-jobs.yml',
    'fleet.gitlab-ci.yml': 'gitlab-fleet.yml',
  },
};

/** The destinations in a repository of what `tradeform init` writes. */
const PLACES = {
  github: {
    '.github/workflows/tradeform-pull-request.yml': 'pull-request.yml',
    '.github/workflows/tradeform-apply.yml': 'apply.yml',
    '.github/workflows/tradeform-drift.yml': 'drift.yml',
    '.github/workflows/tradeform-stop.yml': 'stop.yml',
  },
  gitea: {
    '.gitea/workflows/tradeform-pull-request.yml': 'pull-request.yml',
    '.gitea/workflows/tradeform-drift.yml': 'drift.yml',
    // Of a second repository: here they do nothing.
    'apply-repository/.gitea/workflows/tradeform-apply.yml': 'apply.yml',
    'apply-repository/.gitea/workflows/tradeform-stop.yml': 'stop.yml',
  },
  gitlab: {
    '.gitlab-ci.yml': '.gitlab-ci.yml',
    'ci/tradeform.gitlab-ci.yml': 'tradeform.gitlab-ci.yml',
  },
};

function written(root, host, file) {
  const words = { ...HOSTS[host], ...steps(HOSTS[host]) };
  const known = (name) => {
    if (words[name] === undefined) throw new Error(`${file}: no step ${name} on ${host}`);
    return words[name];
  };
  return readFileSync(`${root}schemas/generator/ci/${file}`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, only = host, text = ''] = /^(?:@(\w+) )?(.*)$/.exec(line) ?? [];
      if (only !== host) return [];
      const [, before = '', name] = /^( *(?:- )?)\{([\w-]+)\}$/.exec(text) ?? [];
      if (name === undefined) return [text.replace(/(?<!\$)\{([a-z][\w-]+)\}/g, (_all, one) => known(one))];
      const blank = before.replace('-', ' ');
      return [known(name)].flat().map((one, index) => `${index === 0 ? before : blank}${one}`);
    })
    .join('\n');
}

/** Path → text of the files of examples/ci. */
export function ciExamples(root) {
  return Object.entries(FILES).flatMap(([host, files]) =>
    Object.entries(files).map(([name, file]) => [`examples/ci/${host}/${name}`, written(root, host, file)]),
  );
}

/** The complete workflow files, for `tradeform init`. */
export function ciTemplates(root) {
  return Object.fromEntries(
    Object.entries(PLACES).map(([host, places]) => [
      host,
      Object.fromEntries(
        Object.entries(places).map(([path, name]) => [path, written(root, host, FILES[host][name])]),
      ),
    ]),
  );
}
