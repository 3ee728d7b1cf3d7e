import { everything, mayStream, runnerParts } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/workers.ts';

export const handler = lambda<'workers'>({ endpoints }, { ...everything, ...runnerParts }, mayStream);
