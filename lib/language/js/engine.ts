import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { type Engine, emptyText, failureText, type Limits, type ScriptResult } from '../scripts/script-engine.ts';
import { HARNESS } from './harness.ts';

const PAGE = 65_536;

/** How deep a script may recurse, in bytes of the engine's stack. */
const STACK_BYTES = 512 * 1024;

/** A javascript engine that knows nothing of the world outside; every script gets a fresh context. */
export async function createJsEngine(limits: Limits): Promise<Engine> {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: (limits.memoryMiB * 1024 * 1024) / PAGE });
  // The package's types describe its CommonJS face, where the default export lies one level deeper.
  const sync = variant as unknown as QuickJSSyncVariant;
  const module = await newQuickJSWASMModuleFromVariant(
    newVariant(sync, { wasmMemory: memory, ...(await embeddedBinary()) }),
  );
  return { run: (source, data) => run(module, source, data, limits) };
}

/** From source the package finds its file by itself; a bundle carries the bytes (loader `.wasm=binary`). */
async function embeddedBinary(): Promise<{ wasmBinary?: ArrayBuffer }> {
  if (import.meta.url.endsWith('.ts')) return {};
  const { default: bytes } = await import('@jitl/quickjs-wasmfile-release-sync/wasm');
  return { wasmBinary: Uint8Array.from(bytes).buffer };
}

function run(module: QuickJSWASMModule, source: string, data: string, limits: Limits): ScriptResult {
  const deadline = performance.now() + limits.deadlineMs;
  const runtime = module.newRuntime({ maxStackSizeBytes: STACK_BYTES });
  runtime.setInterruptHandler(() => performance.now() > deadline);
  const context = runtime.newContext();
  const answer = call(context, source, data, limits.resultBytes);
  // Not in a finally: after an abort the module is unusable, and disposing would hide the reason.
  context.dispose();
  runtime.dispose();
  if (answer === '=null') return { error: emptyText('js', source) };
  if (answer.startsWith('=')) return { text: answer.slice(1) };
  return { error: failureText('js', source, performance.now() > deadline ? 'timeout' : answer.slice(1)) };
}

/** What the harness answers; an error outside of the harness in the same form. */
function call(context: QuickJSContext, source: string, data: string, resultBytes: number): string {
  // The harness goes first and keeps the built-ins it needs, whatever the script does to them.
  const harness = context.unwrapResult(context.evalCode(HARNESS, '<harness>'));
  const compiled = context.evalCode(`(function fn(data) {\n${source}\n})`, '<eval>');
  if (compiled.error) return failed(context, compiled.error, harness);
  const args = [compiled.value, context.newString(data), context.newNumber(resultBytes)];
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
