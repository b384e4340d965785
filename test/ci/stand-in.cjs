// Stands in for tradeform: answers each command as answers.json beside it says, and notes what it was called with.
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const args = process.argv.slice(2);
const files = args.flatMap((arg, index) =>
  args[index - 1] === '--expect-changes' ? [readFileSync(arg, 'utf8')] : [],
);
appendFileSync(join(__dirname, 'calls'), `${JSON.stringify({ args, env: process.env, files })}\n`);
const answers = JSON.parse(readFileSync(join(__dirname, 'answers.json'), 'utf8'));
const { code = 0, stdout = '', stderr = '', json, markdown } = answers[args[0]] ?? { code: 99 };
for (const [index, arg] of args.entries()) {
  const [format, file] = args[index - 1] === '--report' ? arg.split('=') : [];
  if (format === 'json' && json !== undefined) writeFileSync(file, JSON.stringify(json));
  if (format === 'markdown' && markdown !== undefined) writeFileSync(file, markdown);
}
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = code;
