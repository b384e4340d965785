import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject();
  guard('{ max_slippage: 10 }');
});

const HEAD = 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n';

function guard(guardrails: string): void {
  project.write('tradeform.yaml', `${HEAD}spec:\n  guardrails: ${guardrails}\n`);
}

/** The digest of what would be planned now. */
const digest = async () => (await project.planned()).digest;

const APPLY = { autoApprove: true, firstApply: true };

/** The task and label of the manifests are on the service. */
const isApplied = async () => (await project.planned()).operations.length === 0;

describe('a refusal', () => {
  it('of a plan ends with 4, after the plan is shown, with the line of the manifest, and saves nothing', async () => {
    const { code, stdout, stderr } = await project.plan({ out: 'saved.json', detailedExitcode: true });
    expect(code).toBe(4);
    expect(stdout).toContain('► sniper/alpha ');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      ' Refused: max_slippage. The plan: 1 to change (new) · 1 to start (new) · 0 to stop · 0 to delete · 0 blocked.',
    );
    expect(stderr).toContain('error[guardrail-max-slippage]: sniper/alpha: config.relay_mode.slippage is 15');
    expect(stderr).toContain('manifests/alpha.yaml:12:');
    expect(stderr).toContain('12 |     relay_mode: { tip_amount:');
    expect(stderr.replace(/\s+/g, ' ')).toContain(`--override max_slippage=${await digest()}`);
    expect(stderr).toContain('saved.json is not written');
    expect(existsSync(join(project.path, 'saved.json'))).toBe(false);
  });

  it('of an apply ends with 4, after the plan is shown, and sends nothing', async () => {
    const { code, stdout, diagnostics } = await project.apply(undefined, APPLY);
    expect(code).toBe(4);
    expect(stdout).toContain('► sniper/alpha ');
    expect(diagnostics.map((item) => item.code)).toEqual([
      'guardrail-max-slippage',
      'guardrail-max-slippage',
    ]);
    expect(diagnostics[0]).toMatchObject({
      address: 'sniper/alpha',
      location: { file: 'manifests/alpha.yaml', line: 12 },
    });
    guard('{ max_slippage: null }');
    const { stdout: text } = await project.plan();
    expect(text).toContain('► sniper/alpha ');
  });

  it('is a warning, with its place, where the action says so', async () => {
    guard('{ max_slippage: { limit: 10, action: warn } }');
    const { code, stdout } = await project.plan();
    expect(code).toBe(0);
    expect(stdout).toContain(
      'warning[guardrail-max-slippage]: sniper/alpha: config.relay_mode.slippage is 15',
    );
    expect(stdout).toContain('\n  at manifests/alpha.yaml:12\n');
    expect(await project.apply(undefined, APPLY)).toMatchObject({ code: 0 });
  });
});

const LET_THROUGH = 'Allowed by --override, for this plan only (1)\n  ! max_slippage: 2 findings\n';

describe('--override', () => {
  it('allows exactly this plan, and is recorded in plan, report and document', async () => {
    const override = [`max_slippage=${await digest()}`];
    const shown = await project.plan({ override });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(LET_THROUGH);
    const { code, stdout, stderr } = await project.apply(undefined, { ...APPLY, override, output: 'json' });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((JSON.parse(stdout) as ApplyReport).overrides).toEqual([
      { guardrail: 'max_slippage', digest: override[0]?.split('=')[1], findings: 2 },
    ]);
    expect(await isApplied()).toBe(true);
  });

  it('of a name that is none is a mistake of the command line: nothing is shown', async () => {
    const override = ['max_slipage=0123456789ab'];
    for (const run of [project.plan({ override }), project.apply(undefined, { override })]) {
      const { code, stdout, diagnostics } = await run;
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(diagnostics).toMatchObject([{ code: 'invalid-option' }]);
      expect(diagnostics[0]?.hint).toContain('Did you mean max_slippage?');
    }
  });
});

describe('a saved plan', () => {
  it('approves changes, and overrides nothing: whoever edits it could add a guardrail. The command line does', async () => {
    const override = [`max_slippage=${await digest()}`];
    expect(await project.plan({ override, out: 'saved.json' })).toMatchObject({ code: 0 });
    const refused = await project.applying({ firstApply: true }, 'saved.json');
    const [first] = refused.diagnostics;
    expect([refused.code, first?.code, refused.sent]).toEqual([4, 'guardrail-max-slippage', []]);
    expect(first?.hint).toContain(`--override ${override[0]}`);
    const { code, stdout } = await project.apply('saved.json', { firstApply: true, override });
    expect(code).toBe(0);
    expect(stdout.split('\nDigest ')[1]).toContain(LET_THROUGH);
    expect(await isApplied()).toBe(true);
  });
});

describe('policies', () => {
  const POLICY =
    'properties: { spec: { properties: { config: { properties: { buy_amount: { decimalMaximum: "0.4" } } } } } }';

  it.each([
    ['in the project file', `schema: { ${POLICY} }`],
    ['in a file', 'file: policies/small.yaml'],
  ])('%s', async (_where, schema) => {
    project.write('policies/small.yaml', `${POLICY}\n`);
    guard(`{ policies: [{ name: small, message: Ask Mira before you buy more, ${schema} }] }`);
    const { code, stderr } = await project.plan();
    expect(code).toBe(4);
    expect(stderr).toContain('error[guardrail-policy]: Ask Mira before you buy more. sniper/alpha:');
    expect(stderr).toContain('manifests/alpha.yaml:11:');
    const override = [`policy/small=${await digest()}`];
    expect(await project.apply(undefined, { ...APPLY, override })).toMatchObject({ code: 0 });
  });
});
