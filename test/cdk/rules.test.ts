import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as acknowledgements from '../../cdk/rights/acknowledge.ts';
import { EVERY_OPTION, OTHER_OPTIONS } from './options.ts';
import { makeApp } from './stack.ts';

vi.mock('../../cdk/rights/acknowledge.ts', { spy: true });
const acknowledge = vi.mocked(acknowledgements.acknowledge);

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** The findings of the AWS Solutions rules, each with the paths of its constructs. */
function findings(app: App): Map<string, string[]> {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    app.synth();
  } catch {
    // Findings abort the synthesis; the report contains them.
  }
  const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')) as Report;
  const violations = report.pluginReports.flatMap((plugin) => plugin.violations);
  return new Map(
    violations.map(({ ruleName, violatingConstructs }) => [
      ruleName,
      violatingConstructs.map(({ constructPath }) => constructPath),
    ]),
  );
}

describe('the rules of AWS Solutions', () => {
  beforeEach(() => {
    acknowledge.mockReset();
  });

  test.each([{}, { streaming: 'false', retain: 'false', name: 'flows' }, { kms: 'true' }, OTHER_OPTIONS, EVERY_OPTION])(
    'find nothing but what is accepted (%o)',
    (settings) => {
      const { app, stack } = makeApp(settings);
      const found = findings(app);
      expect([...found.keys()]).toEqual([]);
      expect(stack.node.findAll().length).toBeGreaterThan(300);
    },
  );

  test('each acknowledgement suppresses a finding of its construct, and has a reason', () => {
    acknowledge.mockImplementation(() => {});
    const found = findings(makeApp().app);
    const accepted = acknowledge.mock.calls.flatMap(([scope, reasons]) =>
      Object.entries(reasons).map(([id, reason]) => ({ path: scope.node.path, id: `AwsSolutions-${id}`, reason })),
    );
    expect(accepted.length).toBeGreaterThan(5);
    const idle = accepted.filter(({ path, id }) => !found.get(id)?.some((at) => at.startsWith(`${path}/`)));
    expect(idle).toEqual([]);
    expect(accepted.filter(({ reason }) => !/^[A-Z].{30,}\.$/.test(reason))).toEqual([]);
  });
});
