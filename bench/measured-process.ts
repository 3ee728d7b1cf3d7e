/**
 * Connects a server process with the benchmark that has forked it: sends its URL, answers each message with its resident
 * memory in bytes, and ends on SIGTERM after `close`.
 */
export function reportToParent(url: string, close: () => Promise<void> | void): void {
  process.on('message', () => process.send?.(process.memoryUsage().rss));
  process.once('SIGTERM', async () => {
    await close();
    process.exit(0);
  });
  process.send?.(url);
}
