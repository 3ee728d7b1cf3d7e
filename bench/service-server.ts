import { startService } from '../bin/server/service.ts';
import { readSettings } from '../bin/server/settings.ts';
import { introduce } from './peer.ts';

const service = await startService({ ...readSettings({ ...process.env, APIKEY: 'bench' }), port: 0 });
introduce(service.url, () => service.close());
