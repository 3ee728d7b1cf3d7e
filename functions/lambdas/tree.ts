import { everything, mayStream, runnerParts } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints, streamSources } from '../http/tree.ts';

export const handler = lambda<'tree'>({ endpoints, streamSources }, { ...everything, ...runnerParts }, mayStream);
