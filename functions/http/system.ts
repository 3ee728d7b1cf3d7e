import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import { fixedJson, jsonWith } from '../../lib/api/http/reply.ts';
import { redeemSignIn, signInOf } from '../../lib/api/http/sign-in.ts';
import * as playground from '../../lib/engine/evaluation/playground.ts';

/** The schema has no secrets: editors in pages of other origins may read it. */
const SHARED = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600' };

/** A reply with a token. */
const UNCACHED = { 'Cache-Control': 'no-store' };

/** Anyone may ask for these, as often as they like. Their modules are loaded with the first such request. */
const description = fixedJson(async () => (await import('../../lib/api/docs/openapi.ts')).openapi());
const schema = fixedJson(async () => (await import('../../lib/authoring/schema/schema.ts')).workflowSchema(), SHARED);

export const endpoints: Endpoints<'system'> = {
  getVersion: ({ settings: { version } }) => ({ api: version, flow: version, functions: version }),
  runJq: async (_ports, { input, caller }: Call<'runJq'>) => ({
    query: input.query,
    data: input.data,
    results: [await playground.run({ ...input, callerId: caller.id })],
  }),
  getDescription: (_ports, { headers }) => description(headers),
  getWorkflowSchema: (_ports, { headers }) => schema(headers),
  getSignIn: ({ tokens }) => signInOf(tokens),
  redeemSignIn: async ({ tokens }, { input }) => jsonWith(await redeemSignIn(tokens, input), UNCACHED),
};
