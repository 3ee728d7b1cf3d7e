import { createRequire } from 'node:module';
import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import { machineOf } from '../../cdk/service/containers.ts';
import { ofType, resourcesOf } from './stack.ts';

const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => { isValid: boolean };

const resources = resourcesOf();
const only = (type: string, id: RegExp) => {
  const found = ofType(resources, type).filter(([name]) => id.test(name));
  expect(found).toHaveLength(1);
  return found[0]?.[1].Properties ?? {};
};

/** The value of an expression in Step Functions. */
const evaluated = (expression: string, states: object): Promise<unknown> =>
  jsonata(expression.replace(/^\{%|%\}$/g, '')).evaluate({}, { states });

describe('the machine that prepares containers', () => {
  const { States } = machineOf('arn:function');

  test('is valid for Step Functions, and no machine of a workflow', () => {
    expect(validate(machineOf('arn:aws:lambda:eu-west-1:123456789012:function:weft-containers')).isValid).toBe(true);
    const machine = only('AWS::StepFunctions::StateMachine', /^ContainersMachine/);
    expect(machine['StateMachineName']).toBe('weft_containers');
    expect(JSON.stringify(machine['DefinitionString'])).toContain(':function:weft-containers');
  });

  test('continues as long as its function returns a number of seconds', async () => {
    const [choice] = States['Ready?'].Choices;
    const round = { id: 'a', turn: 1 };
    expect(await evaluated(choice?.Condition ?? '', { input: { ...round, seconds: 0 } })).toBe(true);
    expect(await evaluated(choice?.Condition ?? '', { input: round })).toBe(false);
    expect(await evaluated(States.Wait.Seconds, { input: { ...round, seconds: 6 } })).toBe(6);
    expect(await evaluated(States.Work.Output, { result: { Payload: round } })).toEqual(round);
  });

  test('calls its function with the error when it gives up', async () => {
    const [{ Output } = { Output: {} }] = States.Work.Catch;
    const states = { input: { id: 'a', turn: 7 }, errorOutput: { Error: 'AccessDenied', Cause: 'x'.repeat(2_000) } };
    const entries = Object.entries(Output).map(async ([name, value]) => [name, await evaluated(String(value), states)]);
    const { problem, ...rest } = Object.fromEntries(await Promise.all(entries)) as Record<string, unknown>;
    expect(rest).toEqual({ id: 'a', turn: 7 });
    expect(String(problem)).toMatch(/^AccessDenied: x{900,}$/);
    expect(String(problem)).toHaveLength(1_000);
  });
});

describe('container services', () => {
  test('have their images in a repository that only Lambda reads for their functions, and that is deleted with the stack', () => {
    const repository = only('AWS::ECR::Repository', /^ContainersImages/);
    expect(repository).toMatchObject({ RepositoryName: 'weft-containers', EmptyOnDelete: true });
    const policy = JSON.stringify(repository['RepositoryPolicyText']);
    expect(policy).toContain('"Service":"lambda.amazonaws.com"');
    expect(policy).toContain(':function:weft--container-*');
    expect(policy).not.toContain('"ecr:*"');
    expect(JSON.stringify(repository['LifecyclePolicy'])).toContain('untagged');
  });

  test('have a role that may only write one log', () => {
    const policies = ofType(resources, 'AWS::IAM::Policy').filter(([, { Properties }]) =>
      JSON.stringify(Properties['Roles']).includes('"ContainersRole'),
    );
    const statements = policies.flatMap(
      ([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: object[] }).Statement,
    );
    expect(statements).toEqual([
      {
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^ContainersLogs/), 'Arn'] },
      },
    ]);
    expect(only('AWS::IAM::Role', /^ContainersRole/)).toMatchObject({ Path: '/weft-containers/' });
  });

  test('are created and deleted by only one function', () => {
    const making = ofType(resources, 'AWS::IAM::Policy').filter(([, policy]) =>
      /lambda:CreateFunction|ecr:PutImage/.test(JSON.stringify(policy)),
    );
    expect(making.map(([, { Properties }]) => JSON.stringify(Properties['Roles']))).toEqual([
      expect.stringMatching(/"FunctionscontainersRole/),
    ]);
    const worker = only('AWS::Lambda::Function', /^Functionscontainers/);
    expect(worker).toMatchObject({ FunctionName: 'weft-containers', Timeout: 900 });
  });
});
