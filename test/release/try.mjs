// The packed file, installed in empty folders by each npm, and used with each Node.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODES, NPMS, nodeOf, npm, run } from './tools.mjs';

/** Resolves with a line for each Node. Throws if an installation says anything that looks like a warning, or a use fails. */
export async function tryPacked({ file, folder }) {
  const lines = [];
  for (const major of NODES) {
    const node = nodeOf(major);
    const npms = Object.keys(NPMS).filter((version) => NPMS[version] <= major);
    const places = npms.map((version) => install(file, mkdtempSync(join(folder, 'try-')), version, node));
    const used = await use(places[0], node);
    lines.push(
      `Node ${run(node, ['--version']).stdout.trim()}: installed by npm ${npms.join(', ')}; ${used.join(', ')}`,
    );
  }
  return lines;
}

function install(file, place, version, node) {
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  // What is set on this machine is no matter of the package.
  const env = { npm_config_userconfig: join(place, 'none') };
  const args = ['install', '--offline', '--no-audit', '--no-fund', file];
  const { stdout, stderr } = npm(version, node, args, { cwd: place, env });
  if (/warn|deprecat|script/i.test(stdout + stderr))
    throw new Error(`npm ${version} says:\n${stdout}${stderr}`);
  return place;
}

/** What a user does first, each with its end checked. */
async function use(place, node) {
  const program = join(place, 'node_modules/tradeform/dist/tradeform.cjs');
  const project = join(place, 'project');
  cpSync(join(place, 'node_modules/tradeform/examples/quickstart'), project, { recursive: true });
  cpSync(join(place, 'node_modules/tradeform/examples/library/apply.mjs'), join(place, 'apply.mjs'));
  const sandbox = spawn(node, [program, 'sandbox', '--port', '0', '-o', 'json', '--quiet']);
  try {
    const { base_url: url, tokens } = await firstDocument(sandbox);
    const env = { TRADEFORM_BASE_URL: url, TRADEFORM_TOKEN: tokens[0].token };
    const tradeform = (...args) => run(node, [program, ...args], { cwd: project, env }).stdout;
    tradeform('validate');
    const { changes } = JSON.parse(tradeform('plan', '-o', 'json'));
    if (changes.length === 0) throw new Error('the plan is empty before the first apply');
    tradeform('apply', '--auto-approve', '--first-apply');
    const after = JSON.parse(tradeform('plan', '-o', 'json'));
    if (after.changes.length > 0) throw new Error('the plan has changes after the apply');
    run(node, [join(place, 'apply.mjs')], { cwd: project, env });
  } finally {
    sandbox.kill();
  }
  return ['validate', 'plan', 'apply', 'sandbox', 'library'];
}

function firstDocument({ stdout, stderr }) {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('}\n')) resolve(JSON.parse(text));
    });
    stderr.setEncoding('utf8').on('data', (said) => reject(new Error(said)));
  });
}
