import { Token } from 'aws-cdk-lib';
import { z } from 'zod/mini';

/** A text that CDK does not know yet, or one of this form. */
const textOf = (pattern: RegExp, wanted: string): z.ZodMiniString =>
  z.string().check(z.refine((text) => Token.isUnresolved(text) || pattern.test(text), `is no ${wanted}`));

/** The subnets and the security groups of functions in a VPC. */
export const VPC = z.strictObject({
  subnets: z.array(textOf(/^subnet-[0-9a-f]{8,17}$/, 'id of a subnet: subnet-ID')).check(z.minLength(1)),
  securityGroups: z.array(textOf(/^sg-[0-9a-f]{8,17}$/, 'id of a security group: sg-ID')).check(z.minLength(1)),
});

/** The ids of the endpoints of a private API. */
export const VPC_ENDPOINTS = z.array(textOf(/^vpce-[0-9a-f]{8,17}$/, 'id of an endpoint: vpce-ID'));

/** The ARN of a regional web ACL. */
export const WEB_ACL_ARN = /^arn:[\w-]+:wafv2:[\w-]+:\d{12}:regional\/webacl\/[\w-]+\/[\w-]+$/;

/** The ARN of a managed policy. */
export const POLICY_ARN = /^arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/;
