import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { mirrors as routes } from '../../../lib/api/registry/routes/mirrors.ts';
import * as mirrors from '../../../lib/domain/tree/mirrors.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import type { Table } from '../../../lib/ports/table.ts';

interface OfNode {
  readonly namespace: string;
  readonly node: string;
}

async function refuse(ports: { readonly table: Table }, { path }: { readonly path: OfNode }): Promise<void> {
  await nodes.need(ports, path.namespace, path.node);
  mirrors.refuse();
}

/** No node is a mirror here, and web interfaces know by the refusal that this one is none. */
export const endpoints: EndpointsOf<keyof typeof routes> = {
  getMirror: refuse,
  updateMirror: refuse,
  lockMirror: refuse,
  unlockMirror: refuse,
  syncMirror: refuse,
};
