import { startService } from '../bin/service.ts';
import { readSettings } from '../bin/settings.ts';
import { introduce } from './peer.ts';

const service = await startService({ ...readSettings({ ...process.env, APIKEY: 'bench' }), port: 0 });
introduce(service.url, () => service.close());
