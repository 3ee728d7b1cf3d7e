import { describe } from 'vitest';
import { openLocalTable } from '../../lib/adapters/local/table/table.ts';
import { tableContract } from '../contract/table.ts';

describe('the table on the embedded database', () => tableContract(() => openLocalTable()));
