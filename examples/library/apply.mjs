// Plans the project in this folder, shows the plan, and applies exactly that plan: node apply.mjs
import { apply, plan, planText } from 'tradeform';

const { document: proposed, exitCode } = await plan();
process.stdout.write(planText(proposed, { columns: 100, color: false }));
if (exitCode !== 0) process.exit(exitCode);

const applied = await apply({ expect: [proposed.digest] });
console.log(`apply: ${applied.document.outcome}`);
process.exitCode = applied.exitCode;
