import { containers, everything, mayStream } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/namespaces.ts';

export const handler = lambda<'namespaces'>({ endpoints }, { ...everything, containers }, mayStream);
