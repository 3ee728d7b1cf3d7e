import { omitUndefined } from '../../../language/omit-undefined.ts';
import { isDuration } from '../../../time/durations.ts';
import { computed } from '../../decoding/computed.ts';
import { required } from '../../decoding/decoders.ts';
import type { Decoded } from '../../decoding/object.ts';
import { isLambdaName, isLambdaQualifier } from '../../plan/lambdas.ts';
import type { LambdaPlan } from '../../plan/plan.ts';

/** The fields of a lambda function. */
export const LAMBDA_FIELDS = {
  function: required(
    computed(
      isLambdaName,
      'must be the name or the ARN of a Lambda function',
      'for example fraud-score, or arn:aws:lambda:eu-west-1:123456789012:function:fraud-score',
    ),
  ),
  qualifier: computed(isLambdaQualifier, 'must be an alias or a version of the function', 'for example live, or "3"'),
  timeout: computed(
    (value) => typeof value === 'string' && isDuration(value),
    'is not a ISO8601 string',
    'write it like PT30S or PT10M',
  ),
};

/** The plan of the invocation of a lambda function. */
export const toLambdaPlan = ({ function: name, qualifier, timeout }: Decoded<typeof LAMBDA_FIELDS>): LambdaPlan => ({
  function: name,
  ...omitUndefined({ qualifier, timeout }),
});
