/** The service under attack, with a key of one tenant. */
export interface Place {
  readonly url: string;
  readonly key: string;
  readonly namespace: string;
}

/** Requests by which one tenant tries to stop the work of the others. */
export interface Attack {
  readonly about: string;
  /** The workflows that the attacker stores before. */
  readonly workflows?: Readonly<Record<string, string>>;
  /** What else is done before. */
  readonly ready?: (place: Place) => Promise<void>;
  /** How many lanes send requests at the same time. */
  readonly lanes: number;
  /** One request, or one connection; it is repeated until the signal aborts. */
  readonly strike: (place: Place, signal: AbortSignal, lane: number) => Promise<unknown>;
}

/** The parts of a request besides its key. */
export interface Sent {
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request of a tenant and reads its reply. Returns the status. Throws when the connection fails. */
export async function send({ url, key }: Place, method: string, path: string, sent: Sent = {}): Promise<number> {
  const { body, headers, signal } = sent;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'Service-Api-Key': key, ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Opens an event stream and reads it until the signal aborts. */
export async function follow({ url, key }: Place, path: string, signal: AbortSignal): Promise<void> {
  const headers = { 'Service-Api-Key': key, Accept: 'text/event-stream' };
  const { body } = await fetch(`${url}${path}`, { headers, signal });
  const reader = body?.getReader();
  while ((await reader?.read())?.done === false);
}

/** The path of an operation of a workflow in the namespace of a tenant. */
export const pathOf = ({ namespace }: Place, workflow: string, op: string): string =>
  `/api/namespaces/${namespace}/tree/${workflow}?op=${op}`;

/** Stores the workflows of a tenant. Throws if one is rejected. */
export async function store(place: Place, workflows: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, body] of Object.entries(workflows)) {
    const status = await send(place, 'PUT', pathOf(place, name, 'create-workflow'), { body });
    // An attacker stores as much as a quota allows.
    if (status !== 200 && status !== 507) throw new Error(`the workflow ${name} was not stored: ${status}`);
  }
}
