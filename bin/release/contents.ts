import { COPIED_FILES, LICENSE, NOTICES } from '../../cdk/functions/extra-files.ts';

/** A file of the packed package, as `npm pack --json` lists it. */
export interface PackedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** The packed package, as `npm pack --json` describes it. Sizes are bytes. */
export interface Packed {
  readonly filename: string;
  /** The compressed archive. */
  readonly size: number;
  /** The files in it. */
  readonly unpackedSize: number;
  readonly files: readonly PackedFile[];
}

/** The files that the package may contain. Each pattern is needed: a release without one of them is incomplete. */
export const ALLOWED: readonly RegExp[] = [
  /^package\.json$/,
  /^(README|CHANGELOG)\.md$/,
  /^(LICENSE|THIRD-PARTY-NOTICES\.txt)$/,
  /^bin\/weft\.mjs$/,
  // The command line, with modules that only some commands load.
  /^dist\/weft(-[A-Z0-9]{8})?\.mjs$/,
  /^dist\/sandbox-worker\.mjs$/,
  // What weft init writes.
  /^dist\/templates\/(every|agent|api|approval|event|schedule|worker)\/[\w.-]+$/,
  /^dist\/package\.json$/,
  /^dist\/(?:test|workflow)\.schema\.json$/,
  /^dist\/worker\.(mjs|d\.ts)$/,
  /^dist\/client\/(index\.mjs|(index|client|operations)\.d\.ts)$/,
  /^dist\/cdk\/(index\.mjs|(weft|data\/data|settings\/settings)\.d\.ts)$/,
  // The Lambda functions, a folder each.
  /^dist\/functions\/(deploy|lambdas|triggers)\/[\w-]+\/(index|part-[\w-]+)\.mjs$/,
  // The files that lie beside several of them.
  new RegExp(`^dist/functions/copies/(${[LICENSE, NOTICES, ...COPIED_FILES].join('|').replaceAll('.', '\\.')})$`),
  /^dist\/functions\/lambdas\/console\/console\/(index\.html|[\w.-]+\.(svg|png|ico)|assets\/[\w.-]+)$/,
];

/** The largest archive, and its files together, in bytes. Each function that runs states has the engine: about 1.2 MB. */
export const LIMITS = { archive: 10_500_000, unpacked: 36_000_000 } as const;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** The problems of a package: files that must not be in it, missing files, and its size; empty if there are none. */
export function contentProblems({ files, size, unpackedSize }: Packed): string[] {
  const unknown = files.filter(({ path }) => !ALLOWED.some((pattern) => pattern.test(path)));
  const missing = ALLOWED.filter((pattern) => !files.some(({ path }) => pattern.test(path)));
  return [
    ...unknown.map(({ path }) => `${path} may not be in the package; bin/release/contents.ts lists what may`),
    ...missing.map((pattern) => `the package has no file ${pattern.source}`),
    ...(size > LIMITS.archive ? [`the archive has ${megabytes(size)}, and may have ${megabytes(LIMITS.archive)}`] : []),
    ...(unpackedSize > LIMITS.unpacked
      ? [`its files have ${megabytes(unpackedSize)}, and may have ${megabytes(LIMITS.unpacked)}`]
      : []),
  ];
}

/** The files that contain a text: the folder of the machine in which the package was made. */
export function filesWith(text: string, contents: ReadonlyMap<string, string>): string[] {
  return [...contents].filter(([, content]) => content.includes(text)).map(([path]) => path);
}
