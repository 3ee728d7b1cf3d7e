import { clock, mayStream, meter, settings, table, vault } from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/keys.ts';

export const handler = lambda<'keys'>({ endpoints }, { table, vault, clock, settings, meter }, mayStream);
