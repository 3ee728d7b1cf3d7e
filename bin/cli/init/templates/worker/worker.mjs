// Does the tasks of the queue `images`: node worker.mjs. Ends with Ctrl-C.
import { readFileSync } from 'node:fs';

const { WEFT_URL = 'http://127.0.0.1:8080', WEFT_NAMESPACE = 'dev' } = process.env;
const key = process.env.WEFT_KEY ?? readFileSync('.weft/api-key', 'utf8').trim();

async function ask(op, body) {
  const url = `${WEFT_URL}/api/namespaces/${WEFT_NAMESPACE}/workers/images?op=${op}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Service-Api-Key': key },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${op}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** The work. An error fails the task. */
async function resize({ image, width }) {
  return { image: image.replace(/(\.\w+)?$/, `-${width}$1`) };
}

for (;;) {
  const { tasks } = await ask('poll', { worker: 'worker.mjs' });
  for (const { task, lease, input } of tasks) {
    try {
      await ask('complete', { task, lease, output: await resize(input) });
    } catch (error) {
      await ask('fail', { task, lease, code: 'image.unreadable', message: error.message });
    }
  }
}
