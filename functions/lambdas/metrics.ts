import { clock, mayStream, meter, settings, table, tokens, vault } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/metrics.ts';

export const handler = lambda<'metrics'>({ endpoints }, { table, vault, tokens, clock, settings, meter }, mayStream);
