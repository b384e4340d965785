// The steps of the Dockerfile, by hand and without root, since they are to hold where no container engine is.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The shell lines of each stage: those of the build, and those of the image. */
export function stagesOf(dockerfile) {
  const joined = dockerfile.replace(/^#.*\n/gm, '').replace(/\\\n/g, ' ');
  const [, ...stages] = joined.split(/^FROM .*$/m);
  return stages.map((stage) => [...stage.matchAll(/^RUN (.*)$/gm)].map(([, line]) => line));
}

/**
 * Builds from what `.dockerignore` lets through of a checkout, installs below `folder`, and runs the program as the user of the
 * image in a folder of that user. Returns the packed file.
 */
export function imageSteps({ checkout, folder, commit, project }) {
  const [context, temporary, prefix, work] = ['src', 'tmp', 'usr', 'work'].map((name) => join(folder, name));
  for (const path of [temporary, prefix]) mkdirSync(path, { recursive: true });
  const given = readFileSync(join(checkout, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm);
  for (const name of given) cpSync(join(checkout, name), join(context, name), { recursive: true });
  const [build, image] = stagesOf(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
  const shell = (line, cwd, env = {}) => {
    const { status, stderr } = spawnSync('sh', ['-c', line.replaceAll('/tmp', temporary)], {
      cwd,
      env: { ...process.env, npm_config_prefix: prefix, npm_config_loglevel: 'error', ...env },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${line} ended with ${status}\n${stderr}`);
  };
  for (const line of build) shell(line, context, { SOURCE_COMMIT: commit });
  const packed = readdirSync(temporary).find((name) => name.endsWith('.tgz'));
  const bytes = readFileSync(join(temporary, packed));
  for (const line of image.filter((one) => !one.startsWith('apt-get'))) shell(line.split(' && ')[0], folder);
  // As `docker run --read-only --user 1000:1000 -v …:/work`: everything is another user's, and no home is there.
  const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
  cpSync(project, work, { recursive: true });
  if (user.uid !== undefined) chownSync(work, 1000, 1000);
  for (const path of [dirname(folder), folder]) chmodSync(path, 0o755);
  const { status, stdout, stderr, error } = spawnSync(join(prefix, 'bin/tradeform'), ['validate'], {
    cwd: work,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
    ...user,
  });
  if (status !== 0) throw new Error(`tradeform validate ended with ${status ?? error}\n${stdout}${stderr}`);
  return bytes;
}
