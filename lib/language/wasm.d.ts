/** The bytes of the engine's file, in a bundle made with the loader `.wasm=binary`. */
declare module '@jitl/quickjs-wasmfile-release-sync/wasm' {
  const bytes: Uint8Array;
  export = bytes;
}

/** The part of WebAssembly that is used here; the types of Node do not have it. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  type Exports = Readonly<Record<string, unknown>>;
  let instantiate: (
    source: Uint8Array,
    imports?: Imports,
  ) => Promise<{ readonly instance: { readonly exports: Exports } }>;
}
