import {
  blobs,
  changes,
  clock,
  mayStream,
  meter,
  settings,
  table,
  tokens,
  vault,
} from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints, streamSources } from '../http/logs.ts';

export const handler = lambda<'logs'>(
  { endpoints, streamSources },
  { table, blobs, vault, tokens, changes, clock, settings, meter },
  mayStream,
);
