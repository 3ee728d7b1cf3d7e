import {
  changes,
  clock,
  mayStream,
  meter,
  sealer,
  settings,
  table,
  tokens,
  vault,
} from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/secrets.ts';

export const handler = lambda<'secrets'>(
  { endpoints },
  { table, vault, tokens, sealer, changes, clock, settings, meter },
  mayStream,
);
