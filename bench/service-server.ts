/** The program of the measured service, with its data in the folder WEFT_DATA. */
import { startService } from '../bin/server/service.ts';
import { readSettings } from '../bin/server/settings.ts';
import { reportToParent } from './measured-process.ts';

const service = await startService({ ...readSettings({ ...process.env, APIKEY: 'bench' }), port: 0 });
reportToParent(service.url, () => service.close());
