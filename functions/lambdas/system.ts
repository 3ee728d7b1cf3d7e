import { clock, mayStream, meter, settings, table, tokens, vault } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/system.ts';

export const handler = lambda<'system'>({ endpoints }, { table, vault, tokens, clock, settings, meter }, mayStream);
