import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Vpc } from '../settings/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { allow } from './allow.ts';

/** The rights that Lambda needs to connect a function with a VPC. */
const CONNECT = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
];

/** Lets a function run in the subnets of a VPC. */
export function connectTo({ subnets, securityGroups }: Vpc, handler: LambdaFunction, role: IRole): void {
  const resource = handler.node.defaultChild as CfnFunction;
  resource.vpcConfig = { subnetIds: [...subnets], securityGroupIds: [...securityGroups] };
  allow(role, 'ec2', CONNECT, ['*']);
  acknowledge(role, { 'IAM5[Resource::*]': 'Lambda creates the network interfaces, whose ids are not known before.' });
}
