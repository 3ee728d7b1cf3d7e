import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { isLongInteger, markNumbers } from '../json-numbers.ts';
import { type Engine, failureMessage, type Limits, noResultMessage, type ScriptResult } from '../scripts/engine.ts';
import { HARNESS } from './harness.ts';

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65_536;

/** The size of the engine's stack, which limits recursion. */
const STACK_BYTES = 512 * 1024;

/** Loads QuickJS. Scripts have no access to the host; each runs in a new context. */
export async function createJsEngine(limits: Limits): Promise<Engine> {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: (limits.memoryMiB * 1024 * 1024) / PAGE });
  // The package's types describe its CommonJS form, in which the default export is one level deeper.
  const sync = variant as unknown as QuickJSSyncVariant;
  const module = await newQuickJSWASMModuleFromVariant(
    newVariant(sync, { wasmMemory: memory, ...(await embeddedBinary()) }),
  );
  return { run: (source, data, deadlineMs) => run(module, { source, data, deadlineMs }, limits) };
}

/** In source form the package finds its file itself; a bundle contains the bytes (loader `.wasm=binary`). */
async function embeddedBinary(): Promise<{ wasmBinary?: ArrayBuffer }> {
  if (import.meta.url.endsWith('.ts')) return {};
  const { default: bytes } = await import('@jitl/quickjs-wasmfile-release-sync/wasm');
  return { wasmBinary: Uint8Array.from(bytes).buffer };
}

/** The functions of the original beside those of JavaScript: Base64 of a text in UTF-8. */
const FUNCTIONS: Readonly<Record<string, (text: string) => string>> = {
  btoa: (text) => Buffer.from(text).toString('base64'),
  atob: (text) => {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text.replace(/[\r\n]/g, '')) throw new Error('atob: the text is not Base64');
    return bytes.toString();
  },
};

interface Script {
  readonly source: string;
  readonly data: string;
  readonly deadlineMs: number;
}

function run(module: QuickJSWASMModule, { source, data, deadlineMs }: Script, limits: Limits): ScriptResult {
  const deadline = performance.now() + deadlineMs;
  const runtime = module.newRuntime({ maxStackSizeBytes: STACK_BYTES });
  runtime.setInterruptHandler(() => performance.now() > deadline);
  const context = runtime.newContext();
  const answer = call(context, source, data, limits.resultBytes);
  // Not in a finally block: after an abort the module is unusable, and an error of dispose would hide the first one.
  context.dispose();
  runtime.dispose();
  if (answer === '=null') return { error: noResultMessage('js', source) };
  if (answer.startsWith('=')) return { text: answer.slice(1) };
  return { error: failureMessage('js', source, performance.now() > deadline ? 'timeout' : answer.slice(1)) };
}

/** Returns the result in the form of the harness, also for an error outside it. */
function call(context: QuickJSContext, source: string, data: string, resultBytes: number): string {
  // The harness is evaluated first and keeps the built-ins that it needs, so that a script cannot replace them.
  const harness = context.unwrapResult(context.evalCode(HARNESS, '<harness>'));
  for (const [name, run] of Object.entries(FUNCTIONS)) {
    const made = context.newFunction(name, (text) => context.newString(run(context.getString(text))));
    made.consume((handle) => context.setProp(context.global, name, handle));
  }
  const compiled = context.evalCode(`(function fn(data) {\n${source}\n})`, '<eval>');
  if (compiled.error) return failed(context, compiled.error, harness);
  const marked = markNumbers(data, isLongInteger);
  const args = [compiled.value, context.newString(marked), context.newNumber(resultBytes)];
  const called = context.callFunction(harness, context.undefined, ...args);
  for (const handle of [harness, ...args]) handle.dispose();
  if (called.error) return failed(context, called.error);
  const answer = context.getString(called.value);
  called.value.dispose();
  return answer;
}

function failed(context: QuickJSContext, error: QuickJSHandle, ...spent: QuickJSHandle[]): string {
  const [name, message] = ['name', 'message'].map((key) =>
    context.getProp(error, key).consume((text) => context.getString(text)),
  );
  for (const handle of [error, ...spent]) handle.dispose();
  return `!${name}: ${message}`;
}
