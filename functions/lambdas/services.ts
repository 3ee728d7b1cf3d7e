import {
  changes,
  clock,
  containers,
  mayStream,
  meter,
  sealer,
  settings,
  table,
  tokens,
  vault,
} from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints, streamSources } from '../http/services.ts';

export const handler = lambda<'services'>(
  { endpoints, streamSources },
  { table, vault, tokens, sealer, containers, changes, clock, settings, meter },
  mayStream,
);
