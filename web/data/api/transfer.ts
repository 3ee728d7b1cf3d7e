import { keyHeader } from './client.ts';
import { errorOf, failureOf, toApiError } from './errors.ts';

/** Bytes that are through, and all of them where that is known. */
export type OnProgress = (done: number, all: number | undefined) => void;

/** Sends a body and reports how far it is; `fetch` cannot. Throws ApiError. */
export function upload(url: string, method: string, body: Blob, onProgress: OnProgress): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(keyHeader())) request.setRequestHeader(name, value);
    if (body.type !== '') request.setRequestHeader('Content-Type', body.type);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(failureOf(request.status, request.responseText, request.getResponseHeader('Retry-After')));
    request.onerror = () => reject(toApiError(new Error('the connection was lost')));
    request.send(body);
  });
}

/** Fetches bytes and reports how far they are. Throws ApiError. */
export async function download(url: string, onProgress: OnProgress): Promise<Blob> {
  const response = await fetch(url, { headers: keyHeader(), cache: 'no-store' }).catch((error: unknown) => {
    throw toApiError(error);
  });
  if (!response.ok || response.body === null) throw await errorOf(response);
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const all = Number.isNaN(length) ? undefined : length;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value as Uint8Array<ArrayBuffer>);
    done += part.value.length;
    onProgress(done, all);
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
}

/** Lets the browser save bytes as a file. */
export function saveAs(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
