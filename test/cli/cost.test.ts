import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../bench/operations.ts';
import { PRICED_ON, perMillion } from '../../bin/cli/costs/prices.ts';
import { priceTemplates } from '../../bin/cli/costs/template.ts';
import { priceRuns, type RunCost } from '../../bin/cli/costs/workflow.ts';
import { compile } from '../../lib/compiler/compile.ts';
import { type Desk, openDesk } from './desk.ts';

const counted = JSON.parse(readFileSync(new URL('../../bench/calls.json', import.meta.url), 'utf8')) as Record<
  string,
  Record<'requests' | 'lambdas' | 'transitions' | 'express' | 'events' | 'perMillion', number>
>;

function costsOf(yaml: string, items = 10): RunCost[] {
  const compiled = compile(yaml);
  if ('problems' in compiled) throw new Error('no workflow');
  return priceRuns(compiled.plan, items);
}

const costOf = (yaml: string, op = 'execute', items = 10): RunCost => {
  const found = costsOf(yaml, items).find((one) => one.op === op);
  if (found === undefined) throw new Error(`it has no op=${op}`);
  return found;
};

describe('what a workflow is said to cost', () => {
  const measured = OPERATIONS.flatMap(({ name, workflows = [] }) => {
    const yaml = workflows.at(-1)?.[1];
    const isRun = /^(wait|execute) /.test(name) && !/that waits|a retry/.test(name);
    return yaml !== undefined && isRun ? [[name, yaml] as const] : [];
  });

  test.each(measured)('is what was counted: %s', (name, yaml) => {
    const { least } = costOf(yaml, name.startsWith('wait') ? 'wait' : 'execute', 100);
    const { requests, lambdas, transitions, express, events, perMillion: price = 0 } = counted[name] ?? {};
    expect(least).toMatchObject({ requests, lambdas, transitions, express, events });
    expect(perMillion(least) / price).toBeGreaterThan(0.9);
    expect(perMillion(least) / price).toBeLessThan(1.1);
  });

  test('is, at the most, that of a run whose call waits, without what is called', () => {
    const { most } = costOf(`functions: [{id: f, type: subflow, workflow: slow}]
states: [{id: call, type: action, action: {function: f}}]
`);
    const { transitions = 0, lambdas = 0, express } = counted['execute an action on a subflow that waits'] ?? {};
    // The subflow rests once: three transitions, two steps.
    expect(most).toMatchObject({ transitions: transitions - 3, lambdas: lambdas - 2, express });
  });

  test('has as many calls side by side as a parallel state has actions', () => {
    const parallel = (actions: number) =>
      costOf(`functions: [{id: f, type: subflow, workflow: child}]
states: [{id: both, type: parallel, actions: [${Array.from({ length: actions }, () => '{function: f}').join(', ')}]}]
`);
    expect(parallel(3).most.transitions - parallel(2).most.transitions).toBe(1);
    expect(parallel(3).least.writeUnits - parallel(2).least.writeUnits).toBe(4);
  });

  test('was compared with enough of what was counted', () => {
    expect(measured.length).toBeGreaterThan(7);
  });

  test('has two ends where a workflow may go several ways', () => {
    const { least, most } = costOf(`states:
- {id: which, type: switch, conditions: [{condition: jq(.slow), transition: rest}]}
- {id: rest, type: delay, duration: PT1H}
`);
    expect([least.transitions, most.transitions]).toEqual([3, 4]);
  });

  test('counts each round of a loop once, and ends', () => {
    const { least, most } = costOf(`states:
- {id: look, type: noop, transition: rest}
- {id: rest, type: delay, duration: PT1M, transition: enough}
- {id: enough, type: switch, conditions: [{condition: jq(.done)}], defaultTransition: look}
`);
    expect(most.transitions).toBeGreaterThanOrEqual(least.transitions);
    expect(most.transitions).toBeLessThan(10);
  });

  test('grows with the items of a foreach', () => {
    const each = `functions: [{id: f, type: subflow, workflow: child}]
states: [{id: each, type: foreach, array: jq(.all), action: {function: f}}]
`;
    const [few, many] = [costOf(each, 'execute', 1), costOf(each, 'execute', 1000)];
    expect(many.least.writeUnits - few.least.writeUnits).toBe(4 * 999);
  });

  test('is told of a thousand states in a row', () => {
    const states = Array.from({ length: 1000 }, (_, n) => `- {id: s${n}, type: noop, transition: s${n + 1}}`);
    const yaml = `states:\n${states.join('\n')}\n- {id: s1000, type: noop}\n`;
    expect(costOf(yaml, 'wait').least.lambdas).toBe(1);
  });
});

describe('what a template is said to cost', () => {
  const template = (...resources: object[]) =>
    priceTemplates([{ Resources: Object.fromEntries(resources.map((one, n) => [`r${n}`, one as { Type: string }])) }]);

  test('is what its resources cost by the month', () => {
    const metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a + b' }];
    expect(
      template(
        { Type: 'AWS::KMS::Key' },
        { Type: 'AWS::CloudWatch::Alarm' },
        { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: metrics } },
        { Type: 'AWS::CloudWatch::Dashboard' },
        { Type: 'AWS::Lambda::Function' },
      ),
    ).toMatchObject({ monthly: 4.3, unknown: [], count: 5 });
  });

  test('names what metrics may come to that functions write', () => {
    const counting = {
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { WEFT_METRICS: 'x' } } },
    };
    expect(template(counting, counting)).toMatchObject({ monthly: 0, metrics: { most: 52, monthly: 15.6 } });
    expect(template({ ...counting, Properties: {} })).toMatchObject({ metrics: { most: 0, monthly: 0 } });
  });

  test.each([
    ['what nobody put into the table', { Type: 'AWS::EC2::NatGateway' }],
    ['a table that is provisioned', { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PROVISIONED' } }],
    ['a cache', { Type: 'AWS::ApiGateway::Stage', Properties: { CacheClusterEnabled: true } }],
    ['a type named as what objects inherit', { Type: 'constructor' }],
  ])('is not known of %s', (_, resource) => {
    expect(template(resource).unknown).toEqual([`r0 ${resource.Type}`]);
  });
});

describe('weft cost', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    await desk.write({
      'hello.yaml': 'states:\n- {id: a, type: noop}\n',
      'wrong.yaml': 'states: 5\n',
      'cdk.out/Weft.template.json': '{"Resources": {"Key": {"Type": "AWS::KMS::Key"}}}',
      'cdk.out/WeftData.template.json': '{"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}}',
      'counting.json':
        '{"Resources": {"Steps": {"Type": "AWS::Lambda::Function", "Properties": {"Environment": {"Variables": {"WEFT_METRICS": "x"}}}}}}',
      'unknown.json': '{"Resources": {"Gate": {"Type": "AWS::EC2::NatGateway"}}}',
      'empty/readme': '',
      'broken.json': '{',
    });
  });
  afterAll(() => desk.clear());

  test('tells what a run uses and what a million cost, and of when the prices are', async () => {
    const { code, out } = await desk.weft(['cost', 'hello.yaml']);
    expect(code).toBe(0);
    expect(out).toContain('op=execute');
    expect(out).toMatch(/a million of them +\$8\.40/);
    expect(out).toMatch(/op=wait[^$]*\$5\.83/);
    expect(out).toContain(`us-east-1 as of ${PRICED_ON}`);
    const json = (await desk.weft(['cost', 'hello.yaml', '--json'])).json();
    expect(json).toMatchObject({
      runs: [{ op: 'execute', least: { express: 1 } }, { op: 'wait' }],
      region: 'us-east-1',
    });
  });

  test('tells what the stacks of a folder cost by the month', async () => {
    const { code, out } = await desk.weft(['cost', '--template', 'cdk.out']);
    expect({ code, out }).toEqual({
      code: 0,
      out: `$1.00 a month before anything is used: 2 resources of 2 stacks (list prices of us-east-1 as of ${PRICED_ON}, without the free tier)\n$1.00  AWS::KMS::Key  Key\n`,
    });
    expect((await desk.weft(['cost', '--template', 'cdk.out', '--json'])).json()).toMatchObject({ monthly: 1 });
  });

  test('tells what metrics may come on top', async () => {
    const { code, out } = await desk.weft(['cost', '--template', 'counting.json']);
    expect([code, out.split('\n')[1]]).toEqual([
      0,
      'and up to $15.60 for 52 metrics, by the hours in which they are used',
    ]);
  });

  test('ends with 1 when there is a resource whose price it does not know', async () => {
    const { code, out } = await desk.weft(['cost', '--template', 'unknown.json']);
    expect({ code, last: out.split('\n').at(-2) }).toEqual({
      code: 1,
      last: 'the price is not known: Gate AWS::EC2::NatGateway',
    });
  });

  test.each([
    [['cost'], "'cost' takes FILE"],
    [['cost', 'wrong.yaml'], "wrong.yaml is no workflow; 'weft validate wrong.yaml' says why"],
    [['cost', 'hello.yaml', '--items', 'many'], "--items is 'many'; it must be a number from 1 to 100000"],
    [
      ['cost', '--template', 'nowhere'],
      "cannot be read: ENOENT; 'npm run cdk -- synth --quiet' writes the folder cdk.out",
    ],
    [['cost', '--template', 'empty'], 'holds no file that ends with .template.json'],
    [['cost', '--template', 'broken.json'], 'is no template in JSON'],
    [['cost', '--template', 'cdk.out', 'hello.yaml'], 'takes no further word'],
  ])('%j is refused: %s', async (args, message) => {
    const { code, err } = await desk.weft(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
