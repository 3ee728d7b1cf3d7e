import {
  containers,
  everything,
  externalSecrets,
  lambdas,
  mayStream,
  sealer,
  web,
} from '../../lib/adapters/aws/deployed.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { endpoints } from '../http/events.ts';

export const handler = lambda<'events'>(
  { endpoints },
  { ...everything, sealer, externalSecrets, web, lambdas, containers },
  mayStream,
);
