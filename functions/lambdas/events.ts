import { everything, mayStream, runnerParts } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/events.ts';

export const handler = lambda<'events'>({ endpoints }, { ...everything, ...runnerParts }, mayStream);
