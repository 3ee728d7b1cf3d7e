import { errorOf } from '../../../clients/api/client.ts';
import { toApiError } from './errors.ts';
import { key } from './session.ts';

/** Gets the number of transferred bytes, and the total if it is known. */
export type OnProgress = (done: number, all: number | undefined) => void;

/** Sends a body with PUT and reports its progress; `fetch` cannot. Throws ApiError. */
export function upload(url: string, body: Blob, onProgress: OnProgress): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('Service-Api-Key', key.value ?? '');
    if (body.type !== '') request.setRequestHeader('Content-Type', body.type);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    request.onload = () => {
      const { status, responseText } = request;
      const headers = new Headers({ 'Retry-After': request.getResponseHeader('Retry-After') ?? '' });
      if (status < 300) resolve();
      else reject(toApiError(errorOf({ status, headers }, responseText)));
    };
    request.onerror = () => reject(toApiError(new Error('the connection was lost')));
    request.send(body);
  });
}

/** Reads the body of a reply and reports its progress. Throws ApiError. */
export async function download(reply: Promise<Response>, onProgress: OnProgress): Promise<Blob> {
  const { headers, body } = await reply;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const all = Number.isNaN(length) ? undefined : length;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    parts.push(part.value);
    done += part.value.length;
    onProgress(done, all);
  }
  return new Blob(parts, { type: headers.get('content-type') ?? '' });
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
