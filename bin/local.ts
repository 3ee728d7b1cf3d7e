/** `npm start`. */
import { main } from './server/main.ts';

await main();
