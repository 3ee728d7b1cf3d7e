import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CodeActionRequest,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ReferencesRequest,
  RenameRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

const PROGRAM = fileURLToPath(new URL('../../bin/weft.mjs', import.meta.url));

const MAIN = `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: first
  type: action
  action: {function: pay}
  transform: {order: jq(.return)}
  transition: second
- id: second
  type: noop
  log: jq(.order | lenght)
`;

const PAY = 'states:\n- {id: a, type: noop}\n';

let folder: string;
let server: ChildProcess;
let client: ProtocolConnection;
let uri: string;
const published: PublishDiagnosticsParams[] = [];
let wake: () => void = () => undefined;

/** The diagnostics of a version of the document, once the server has sent them. */
async function diagnosticsOf(version: number, of = uri) {
  for (;;) {
    const found = published.find((one) => one.uri === of && one.version === version);
    if (found !== undefined) return found.diagnostics;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

let version = 1;

/** Replaces the text of the document, as an editor does. */
async function write(text: string): Promise<number> {
  version += 1;
  const textDocument = { uri, version };
  await client.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges: [{ text }] });
  return version;
}

/** The position of a mark `▸` in the document's text; the document gets the text without it. */
async function writeMarked(text: string) {
  const [before = ''] = text.split('▸');
  await write(text.replace('▸', ''));
  const lines = before.split('\n');
  return {
    textDocument: { uri },
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-lsp-'));
  await mkdir(join(folder, 'shop'));
  await writeFile(join(folder, 'shop/main.yaml'), MAIN);
  await writeFile(join(folder, 'shop/pay.yaml'), PAY);
  uri = pathToFileURL(join(folder, 'shop/main.yaml')).href;
  server = spawn(process.execPath, [PROGRAM, 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (server.stdout === null || server.stdin === null) throw new Error('the server has no streams');
  client = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  client.onNotification(PublishDiagnosticsNotification.type, (params) => {
    published.push(params);
    wake();
  });
  client.listen();
  const { capabilities } = await client.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'test' }],
  });
  expect(capabilities).toMatchObject({ hoverProvider: true, definitionProvider: true });
  await client.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri, languageId: 'yaml', version, text: MAIN };
  await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
}, 30_000);

afterAll(async () => {
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

describe('the language server', () => {
  test('reports what lint finds, with a quick fix', async () => {
    const diagnostics = await diagnosticsOf(1);
    const range = { start: { line: 10, character: 19 }, end: { line: 10, character: 25 } };
    expect(diagnostics).toMatchObject([{ code: 'jq-unknown-name', severity: 2, source: 'weft', range }]);
    const actions = await client.sendRequest(CodeActionRequest.type, {
      textDocument: { uri },
      range,
      context: { diagnostics },
    });
    expect(actions).toMatchObject([
      {
        title: "replace 'lenght' by 'length'",
        kind: 'quickfix',
        edit: { changes: { [uri]: [{ range, newText: 'length' }] } },
      },
    ]);
  });

  test('reports each change, and mistakes between the workflows of the folder', async () => {
    expect(await diagnosticsOf(await write(MAIN.replace('lenght', 'length')))).toEqual([]);
    const missing = MAIN.replace('lenght', 'length').replace('workflow: pay', 'workflow: pya');
    expect(await diagnosticsOf(await write(missing))).toMatchObject([
      { code: 'subflow-missing', message: expect.stringContaining("did you mean '/shop/pay'?") },
    ]);
    const broken = 'states:\n- id: a\n   type: noop\n';
    expect(await diagnosticsOf(await write(broken))).toMatchObject([{ code: 'yaml', severity: 1 }]);
    expect(await diagnosticsOf(await write('services:\n  web: {image: nginx}\n'))).toEqual([]);
  });

  test('completes', async () => {
    const place = await writeMarked(MAIN.replace('transition: second', 'transition: ▸'));
    const items = await client.sendRequest(CompletionRequest.type, place);
    expect(items).toMatchObject([
      { label: 'first', detail: 'action' },
      { label: 'second', detail: 'noop' },
    ]);
  });

  test('describes', async () => {
    const place = await writeMarked(MAIN.replace('  transition', '  trans▸ition'));
    const hover = await client.sendRequest(HoverRequest.type, place);
    expect(hover).toMatchObject({ contents: { kind: 'markdown', value: expect.stringContaining('next state') } });
  });

  test('finds a state, and the file of a subflow', async () => {
    const state = await writeMarked(MAIN.replace('transition: second', 'transition: sec▸ond'));
    const start = { line: 8, character: 6 };
    expect(await client.sendRequest(DefinitionRequest.type, state)).toMatchObject({ uri, range: { start } });
    const references = await client.sendRequest(ReferencesRequest.type, {
      ...state,
      context: { includeDeclaration: true },
    });
    expect(references).toHaveLength(2);
    const subflow = await writeMarked(MAIN.replace('workflow: pay', 'workflow: pa▸y'));
    expect(await client.sendRequest(DefinitionRequest.type, subflow)).toMatchObject({
      uri: pathToFileURL(join(folder, 'shop/pay.yaml')).href,
    });
  });

  test('renames a state, and rejects an id that exists', async () => {
    const place = await writeMarked(MAIN.replace('transition: second', 'transition: sec▸ond'));
    const edit = await client.sendRequest(RenameRequest.type, { ...place, newName: 'last' });
    expect(edit?.changes?.[uri]).toHaveLength(2);
    const taken = client.sendRequest(RenameRequest.type, { ...place, newName: 'first' });
    await expect(taken).rejects.toThrow("another state has the id 'first'");
  });

  test('formats, and lists the states', async () => {
    await write('states:\n  - id: a\n    type:   noop\n');
    const options = { tabSize: 2, insertSpaces: true };
    const edits = await client.sendRequest(DocumentFormattingRequest.type, { textDocument: { uri }, options });
    expect(edits).toMatchObject([{ newText: 'states:\n- id: a\n  type: noop\n' }]);
    const symbols = await client.sendRequest(DocumentSymbolRequest.type, { textDocument: { uri } });
    expect(symbols).toMatchObject([{ name: 'a', detail: 'noop' }]);
  });

  test('reports the problems of a file of tests, as saved workflows show them', async () => {
    const tests = (text: string) => `workflow: pay.yaml\ncases:\n- name: it\n  ${text}\n`;
    const other = pathToFileURL(join(folder, 'shop/pay.test.yaml')).href;
    const opened = { uri: other, languageId: 'yaml', version: 1, text: tests('expect: {states: [b], output: {}}') };
    await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: opened });
    expect(await diagnosticsOf(1, other)).toMatchObject([
      {
        code: 'test',
        severity: 1,
        message: "the workflow 'pay' has no state 'b'\ndid you mean 'a'?",
        range: { start: { line: 3 } },
      },
    ]);
    const wrong = { textDocument: { uri: other, version: 2 }, contentChanges: [{ text: tests('expects: {}') }] };
    await client.sendNotification(DidChangeTextDocumentNotification.type, wrong);
    expect(await diagnosticsOf(2, other)).toMatchObject([{ message: expect.stringContaining("'expect'") }]);
    await writeFile(join(folder, 'shop/pay.yaml'), Buffer.from([0xff]));
    const right = { textDocument: { uri: other, version: 3 }, contentChanges: [{ text: tests('expect: {}') }] };
    await client.sendNotification(DidChangeTextDocumentNotification.type, right);
    expect(await diagnosticsOf(3, other)).toMatchObject([{ message: expect.stringContaining('not UTF-8') }]);
  });

  test('completes the functions that a mock names, as `weft test` names them, and the files of workflows', async () => {
    await writeFile(join(folder, '.weft.yaml'), '');
    await diagnosticsOf(await write(MAIN));
    const other = pathToFileURL(join(folder, 'shop/main.test.yaml')).href;
    const completed = async (text: string, at: number, character: number) => {
      const textDocument = { uri: other, languageId: 'yaml', version: at, text };
      await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
      const position = { line: at, character };
      return client.sendRequest(CompletionRequest.type, { textDocument: { uri: other }, position });
    };
    expect(await completed('workflow: main.yaml\ncases:\n- mocks: {}\n', 2, 10)).toMatchObject([
      { label: 'pay', detail: 'subflow', textEdit: { newText: 'pay: ' } },
    ]);
    expect(await completed('workflow: \ncases: [{name: a}]\n', 0, 10)).toMatchObject([
      { label: 'main.yaml' },
      { label: 'pay.yaml' },
    ]);
  });

  test('ends when the client requests it', async () => {
    const ended = once(server, 'exit');
    await client.sendRequest(ShutdownRequest.type);
    await client.sendNotification(ExitNotification.type);
    expect(await ended).toEqual([0, null]);
  });
});

describe('the extension for VS Code', () => {
  interface Manifest {
    readonly main: string;
    readonly contributes: {
      readonly configuration: { readonly properties: Readonly<Record<string, { readonly default: unknown }>> };
    };
  }

  test('starts the language server, and ends it', async () => {
    const home = new URL('../../editors/vscode/', import.meta.url);
    const manifest = JSON.parse(await readFile(new URL('package.json', home), 'utf8')) as Manifest;
    const settings = manifest.contributes.configuration.properties;
    const calls: unknown[] = [];
    class LanguageClient {
      constructor(_id: string, _name: string, started: { readonly command: string; readonly args: readonly string[] }) {
        calls.push([started.command, ...started.args]);
      }
      start = async () => void calls.push('started');
      stop = async () => void calls.push('ended');
    }
    const modules: Readonly<Record<string, unknown>> = {
      vscode: {
        commands: { registerCommand: () => ({}) },
        workspace: { getConfiguration: () => ({ get: (name: string) => settings[`weft.${name}`]?.default }) },
      },
      'vscode-languageclient/node': { LanguageClient },
    };
    const exported: { activate?: (context: object) => Promise<void>; deactivate?: () => Promise<void> } = {};
    const source = await readFile(new URL(manifest.main, home), 'utf8');
    new Function('require', 'exports', source)((name: string) => modules[name], exported);
    await exported.activate?.({ subscriptions: [] });
    await exported.deactivate?.();
    expect(calls).toEqual([['npx', '--no-install', 'weft', 'lsp'], 'started', 'ended']);
  });
});
