import { type PathOf, request } from '../api/client.ts';
import { type Loaded, useRead } from '../api/live.ts';
import { download, type OnProgress } from '../api/transfer.ts';
import { bytesOfBase64 } from '../format/text.ts';

/** Operations that return data of a run as base64. */
export type DataOperation = 'getInstanceInput' | 'getInstanceOutput' | 'getInstanceMetadata';

/** Data of a run as a page shows it. */
export interface RunData {
  /** All of it, or its beginning. */
  readonly text: string;
  /** The total number of bytes; undefined if the reply has no length. */
  readonly size: number | undefined;
  readonly isWhole: boolean;
}

/** Larger data, bytes, is not read to its end: a page with a hundred megabytes of text is not usable. */
const MOST_WHOLE = 2_000_000;
/** The part of larger data that is shown, bytes. */
const MOST_SHOWN = 100_000;

const MARK = '"data":"';
const GROUP = 4;
const GROUP_BYTES = 3;

const decoded = (base64: string): string => new TextDecoder().decode(bytesOfBase64(base64), { stream: true });

/** The beginning of the data, from the beginning of a reply of this length. */
function beginningOf(reply: string, length: number | undefined): RunData | undefined {
  const mark = reply.indexOf(MARK);
  if (mark < 0) return undefined;
  const from = mark + MARK.length;
  const most = Math.floor(MOST_SHOWN / GROUP_BYTES) * GROUP;
  const size = length === undefined ? undefined : Math.floor((length - from) / GROUP) * GROUP_BYTES;
  return { text: decoded(reply.slice(from, from + most)), size, isWhole: false };
}

/** Reads data of a run, or the beginning of large data. Throws ApiError, and AbortError if aborted. */
async function readData(id: DataOperation, path: PathOf<DataOperation>, signal: AbortSignal): Promise<RunData> {
  const response = await request(id, path, { signal });
  const length = response.headers.get('content-length');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let reply = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    reply += part.value;
    const beginning =
      reply.length > (MOST_WHOLE / GROUP_BYTES) * GROUP
        ? beginningOf(reply, length === null ? undefined : Number(length))
        : undefined;
    if (beginning === undefined) continue;
    await reader?.cancel();
    return beginning;
  }
  const { data } = JSON.parse(reply) as { readonly data: string };
  const text = decoded(data);
  return { text, size: text.length, isWhole: true };
}

/** Data of a run while the component is shown; with `path` undefined, no request is sent. */
export const useRunData = (id: DataOperation, path: PathOf<DataOperation> | undefined): Loaded<RunData> =>
  useRead([id, path], path && ((signal) => readData(id, path, signal)));

/** Fetches all data of a run, as bytes. Throws ApiError. */
export async function fetchData(id: DataOperation, path: PathOf<DataOperation>, onProgress: OnProgress): Promise<Blob> {
  const reply = await download(request(id, path), onProgress);
  const { data } = JSON.parse(await reply.text()) as { readonly data: string };
  return new Blob([bytesOfBase64(data)], { type: 'application/json' });
}
