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
import { endpoints, streamSources } from '../http/tree.ts';

export const handler = lambda<'tree'>(
  { endpoints, streamSources },
  { ...everything, sealer, externalSecrets, web, lambdas, containers },
  mayStream,
);
