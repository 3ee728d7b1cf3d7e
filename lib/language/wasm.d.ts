/** What a bundler with the loader `.wasm=binary` makes of the engine's file. */
declare module '@jitl/quickjs-wasmfile-release-sync/wasm' {
  const bytes: Uint8Array;
  export = bytes;
}

/** The little we use of the platform's WebAssembly; Node's own types leave it out. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
}
