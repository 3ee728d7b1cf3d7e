/** An issuer of OpenID Connect in a process of its own: prints its URL, and ends with its standard input. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { AUDIENCE, PROGRAMS, type Program } from './programs.ts';

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const toClient = ({ id, secret }: Program): object => ({
  client_id: id,
  client_secret: secret,
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
});

const provider = new Provider(issuer, {
  clients: PROGRAMS.map(toClient),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${AUDIENCE}`,
      getResourceServerInfo: () => ({ scope: '', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
    },
  },
  extraTokenClaims: (_: unknown, { clientId }: { readonly clientId: string }) => ({
    groups: PROGRAMS.find(({ id }) => id === clientId)?.groups,
  }),
});
server.on('request', provider.callback());
process.stdout.write(`${issuer}\n`);
process.stdin.resume().on('end', () => process.exit(0));
