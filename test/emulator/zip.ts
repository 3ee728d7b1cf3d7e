import { crc32 } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const BY_UNIX = (3 << 8) | VERSION;
const EXECUTABLE = 0o100755;
// The earliest time of the format, so that equal files give equal archives.
const [TIME, DATE] = [0, 0x21];

type Field = readonly [bytes: 2 | 4, value: number];

function record(...fields: readonly Field[]): Buffer {
  const parts = fields.map(([bytes, value]) => {
    const part = Buffer.alloc(bytes);
    part.writeUIntLE(value, 0, bytes);
    return part;
  });
  return Buffer.concat(parts);
}

/** A zip archive of one executable file, stored without compression (PKWARE's APPNOTE, 4.3). */
export function zipOf(name: string, content: string): Buffer {
  const file = Buffer.from(content);
  const path = Buffer.from(name);
  const header: readonly Field[] = [
    ...([
      [2, VERSION],
      [2, 0],
      [2, 0],
      [2, TIME],
      [2, DATE],
    ] as const),
    ...([
      [4, crc32(file)],
      [4, file.length],
      [4, file.length],
      [2, path.length],
      [2, 0],
    ] as const),
  ];
  const local = Buffer.concat([record([4, LOCAL], ...header), path, file]);
  const rest: readonly Field[] = [
    [2, 0],
    [2, 0],
    [2, 0],
    [4, EXECUTABLE * 0x10000],
    [4, 0],
  ];
  const central = Buffer.concat([record([4, CENTRAL], [2, BY_UNIX], ...header, ...rest), path]);
  const end = record([4, END], [2, 0], [2, 0], [2, 1], [2, 1], [4, central.length], [4, local.length], [2, 0]);
  return Buffer.concat([local, central, end]);
}
