import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import { toExternalValue } from '../../lib/domain/credentials/references.ts';
import * as secrets from '../../lib/domain/credentials/secrets.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { note } from '../../lib/domain/logs/change-lines.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { type ListRequest, toListRequest } from '../../lib/domain/storage/list-requests.ts';
import type { Ports } from '../../lib/ports/ports.ts';

// Clients expect this status for a bad list request here.
const requestOf = ({ query }: Call): ListRequest => toListRequest(query, 'refused');

/** The router removes slashes from the end of a name. */
const nameOf = ({ path, endsInSlash }: Pick<Call<'createSecret'>, 'path' | 'endsInSlash'>): string =>
  endsInSlash ? `${path.secret}/` : path.secret;

type Setter = Pick<Call<'createSecret'>, 'query' | 'body'>;

/** The value of a request, or the reference to it. */
function settingOf(
  ports: Pick<Ports, 'settings'>,
  home: namespaces.Namespace,
  { query, body }: Setter,
): secrets.SecretValue {
  const [[reference], [cache]] = [query['reference'] ?? [], query['cache'] ?? []];
  if (reference !== undefined && reference !== 'true' && reference !== 'false') {
    throw new ServiceError('malformed', `'reference' is '${reference}'; it must be true or false`);
  }
  if (reference === 'true') return toExternalValue(ports, home, Buffer.from(body).toString('utf8').trim(), cache);
  if (cache === undefined) return body;
  throw new ServiceError('malformed', "'cache' is for references to secrets: send reference=true as well");
}

export const endpoints: Endpoints<'secrets'> = {
  listSecrets: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    return { namespace: home.name, secrets: await secrets.list(ports, home, '', requestOf(call)) };
  },
  listSecretFolder: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    return { namespace: home.name, secrets: await secrets.list(ports, home, nameOf(call), requestOf(call)) };
  },
  searchSecrets: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    const [term = ''] = call.query['term'] ?? [];
    return { namespace: home.name, secrets: await secrets.search(ports, home, term, requestOf(call)) };
  },
  createSecret: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    const { isNew } = await secrets.set(ports, home, nameOf(call), settingOf(ports, home, call));
    await note(ports, 'namespace.secret', { namespace: home }, isNew ? 'create' : 'update', nameOf(call));
    return { namespace: home.name, key: nameOf(call) };
  },
  overwriteSecret: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    await secrets.overwrite(ports, home, nameOf(call), settingOf(ports, home, call));
    await note(ports, 'namespace.secret', { namespace: home }, 'update', nameOf(call));
    return { namespace: home.name, key: nameOf(call) };
  },
  deleteSecret: async (ports, call) => {
    const home = await namespaces.need(ports, call.path.namespace);
    await secrets.remove(ports, home, nameOf(call));
    await note(ports, 'namespace.secret', { namespace: home }, 'delete', nameOf(call));
  },
};
