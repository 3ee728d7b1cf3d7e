/** `node bin/licenses/write.ts FILE`: writes the notices of the packages that Weft contains. */
import { writeFileSync } from 'node:fs';
import { notices } from './notices.ts';

const [, , file] = process.argv;
if (file === undefined) throw new Error('name the file to write');
writeFileSync(file, notices());
