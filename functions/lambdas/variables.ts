import { everything, mayStream } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/variables.ts';

export const handler = lambda<'variables'>({ endpoints }, everything, mayStream);
