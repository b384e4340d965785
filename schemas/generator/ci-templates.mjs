import { readFileSync } from 'node:fs';
import { namesOf } from './names.mjs';

/** The destinations of the files of examples/ci in a repository. */
const PLACES = {
  github: {
    '.github/workflows/tradeform-pull-request.yml': 'github/pull-request.yml',
    '.github/workflows/tradeform-apply.yml': 'github/apply.yml',
    '.github/workflows/tradeform-drift.yml': 'github/drift.yml',
    '.github/workflows/tradeform-stop.yml': 'github/stop.yml',
  },
  gitea: {
    '.gitea/workflows/tradeform-pull-request.yml': 'gitea/pull-request.yml',
    '.gitea/workflows/tradeform-drift.yml': 'gitea/drift.yml',
    // Of a second repository: here they do nothing.
    'apply-repository/.gitea/workflows/tradeform-apply.yml': 'gitea/apply.yml',
    'apply-repository/.gitea/workflows/tradeform-stop.yml': 'gitea/stop.yml',
  },
  gitlab: {
    '.gitlab-ci.yml': 'gitlab/.gitlab-ci.yml',
    'ci/tradeform.gitlab-ci.yml': 'gitlab/tradeform.gitlab-ci.yml',
  },
};

/** The complete workflow files, and the action that they name, for `tradeform init`. */
export function ciTemplates(root) {
  const texts = (places) =>
    Object.fromEntries(
      Object.entries(places).map(([path, file]) => [
        path,
        readFileSync(`${root}examples/ci/${file}`, 'utf8'),
      ]),
    );
  return {
    action: namesOf(root).action,
    ...Object.fromEntries(Object.entries(PLACES).map(([ci, places]) => [ci, texts(places)])),
  };
}
