import { containers, everything, mayStream } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/instances.ts';

export const handler = lambda<'instances'>({ endpoints }, { ...everything, containers }, mayStream);
