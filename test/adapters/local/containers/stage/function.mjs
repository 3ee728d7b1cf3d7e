/**
 * The function of the test image: what it does is said in its input, `{"do": "echo", ...}`. It answers with JSON unless
 * told otherwise.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { FUNCTION_PORT = '8080', SERVICE_PORT = '8889', SHARED = '/mnt/shared' } = process.env;
const deleted = [];
let calls = 0;

function tree(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const shown = path.slice(folder.length + 1);
      return entry.isDirectory() ? [`${shown}/`, ''] : [shown, readFileSync(path, 'utf8')];
    })
    .toSorted();
}

async function helper(path, options) {
  const response = await fetch(`http://localhost:${SERVICE_PORT}${path}`, options);
  return { status: response.status, text: await response.text() };
}

const ACTIONS = {
  echo: (input, { request }) => ({
    input,
    headers: request.headers,
    environment: process.env.GREETING ?? null,
    names: Object.keys(process.env),
    args: process.argv.slice(2),
  }),
  error: ({ brand, code, message, status = 200 }, { response }) => {
    response.writeHead(status, { [`${brand}-ErrorCode`]: code, [`${brand}-ErrorMessage`]: message });
    response.end('ignored');
  },
  status: ({ status, text }, { response }) => void response.writeHead(status).end(text),
  half: (_, { request, response }) => {
    response.writeHead(200, { 'Content-Length': 1000 });
    response.write('half');
    setTimeout(() => request.socket.destroy(), 50);
  },
  text: ({ text }, { response }) => void response.end(text),
  large: ({ bytes, declared }, { response }) => {
    if (declared !== undefined) response.setHeader('Content-Length', declared);
    response.end(Buffer.alloc(bytes, 'x'));
  },
  exit: ({ code, words }) => {
    console.error(words);
    process.exit(code);
  },
  exitAfter: (_, { response }) => void response.end(String(process.pid), () => process.exit(0)),
  print: ({ words }) => {
    console.log(words);
    return 'printed';
  },
  sleep: async ({ ms, tell = false }, { request, id }) => {
    console.log('sleeping');
    if (tell) await helper(`/log?aid=${id}&log=sleeping`);
    await sleep(ms);
    return { calls, id: request.headers['direktiv-actionid'] };
  },
  deleted: () => deleted,
  files: (_, { folder }) => tree(folder),
  left: () => readdirSync(SHARED),
  leave: async ({ files, links = {}, thenFail }, { folder, response }) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, 'out', path, '..'), { recursive: true });
      writeFileSync(join(folder, 'out', path), text);
    }
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, 'out', path));
    if (thenFail === undefined) return 'left';
    response.writeHead(200, { 'Direktiv-ErrorCode': thenFail, 'Direktiv-ErrorMessage': 'as told' }).end();
  },
  size: (input) => JSON.stringify(input).length,
  pass: async ({ from, to }, { id }) => {
    const got = await fetch(`http://localhost:${SERVICE_PORT}/var?aid=${id}&key=${from}`);
    const body = await got.arrayBuffer();
    return [got.status, (await helper(`/var?aid=${id}&key=${to}`, { method: 'POST', body })).status];
  },
  helper: async ({ steps }, { id }) => {
    const told = [];
    for (const { path, ...options } of steps) told.push(await helper(path.replace('ID', id), options));
    return told;
  },
  undeclared: async ({ bytes }, { id }) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(bytes));
        controller.close();
      },
    });
    return helper(`/var?aid=${id}&key=big`, { method: 'POST', body, duplex: 'half' });
  },
};

async function serve(request, response) {
  const id = request.headers['service-actionid'] ?? '';
  if (request.method === 'DELETE') {
    deleted.push(id);
    response.end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const input = JSON.parse(Buffer.concat(chunks).toString());
  calls += 1;
  const folder = request.headers['service-tempdir'] ?? '';
  const result = await ACTIONS[input.do](input, { request, response, id, folder });
  calls -= 1;
  if (result !== undefined) response.end(JSON.stringify(result));
}

const [mode = 'serve', ms = '0'] = process.argv.slice(2);
console.log(`begun ${mode} ${existsSync(SHARED)}`);
if (mode === 'fail') {
  console.error('cannot go on');
  process.exit(3);
}
if (mode === 'deaf') setInterval(() => undefined, 1000);
else setTimeout(() => createServer(serve).listen(Number(FUNCTION_PORT), '127.0.0.1'), Number(ms));
process.on('SIGTERM', () => process.exit(0));
