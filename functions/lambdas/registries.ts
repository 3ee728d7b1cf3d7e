import {
  clock,
  mayStream,
  meter,
  sealer,
  settings,
  table,
  tokens,
  vault,
  web,
} from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/registries.ts';

export const handler = lambda<'registries'>(
  { endpoints },
  { table, vault, tokens, sealer, web, clock, settings, meter },
  mayStream,
);
