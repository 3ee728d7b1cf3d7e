import { describe, expect, test } from 'vitest';
import { makeApp, ofType, type Resource, resourcesIn, resourcesOf } from './stack.ts';

const BOUNDARY = 'arn:aws:iam::123456789012:policy/boundary';
const ACL = 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/flows/0a1b';

function allOf(settings: Readonly<Record<string, string>>): Record<string, Resource> {
  const { data, stack } = makeApp(settings);
  return { ...resourcesIn(stack), ...resourcesIn(data) };
}

describe('`vpcEndpoints`', () => {
  const [[, rest] = []] = ofType(resourcesOf({ vpcEndpoints: '["vpce-0a1b2c3d"]' }), 'AWS::ApiGateway::RestApi');

  test('makes the API private, and refuses requests through other endpoints', () => {
    expect(rest?.Properties).toMatchObject({
      EndpointConfiguration: { Types: ['PRIVATE'], VpcEndpointIds: ['vpce-0a1b2c3d'] },
      Policy: {
        Statement: [
          { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: 'execute-api:/*' },
          { Effect: 'Deny', Condition: { StringNotEquals: { 'aws:SourceVpce': ['vpce-0a1b2c3d'] } } },
        ],
      },
    });
  });
});

describe('`vpc`', () => {
  const all = allOf({ vpc: '{"subnets": ["subnet-0a1b2c3d"], "securityGroups": ["sg-0a1b2c3d"]}' });

  test('lets every function run in the subnets, those of the deployment too', () => {
    const functions = ofType(all, 'AWS::Lambda::Function');
    expect(functions.length).toBeGreaterThanOrEqual(24);
    for (const [, { Properties }] of functions) {
      expect(Properties['VpcConfig']).toEqual({ SubnetIds: ['subnet-0a1b2c3d'], SecurityGroupIds: ['sg-0a1b2c3d'] });
    }
    const connecting = ofType(all, 'AWS::IAM::Policy').filter(([, one]) =>
      JSON.stringify(one).includes('ec2:CreateNetworkInterface'),
    );
    expect(connecting).toHaveLength(functions.length);
  });
});

test('`webAcl` is associated with the stage of the API', () => {
  const own = resourcesOf({ webAcl: ACL });
  const [[, association] = []] = ofType(own, 'AWS::WAFv2::WebACLAssociation');
  expect(association?.Properties['WebACLArn']).toBe(ACL);
  expect(JSON.stringify(association?.Properties['ResourceArn'])).toContain('/stages/');
});

test('`permissionsBoundary` limits every role of both stacks', () => {
  const roles = ofType(allOf({ permissionsBoundary: BOUNDARY }), 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(30);
  for (const [id, { Properties }] of roles) expect([id, Properties['PermissionsBoundary']]).toEqual([id, BOUNDARY]);
});

test('by default the API is public, and functions and roles are not limited', () => {
  const text = JSON.stringify(allOf({}));
  for (const word of ['PRIVATE', 'VpcConfig', 'ec2:', 'WebACL', 'PermissionsBoundary'])
    expect(text).not.toContain(word);
  expect(text).toContain('"Types":["REGIONAL"]');
});
