/**
 * `gleaner copy-log`: copies the embedded log to EventStoreDB.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { progressBar } from '../../src/cli/progress.ts'
import { type Config, hasEmbeddedLog, readConfig } from '../../src/config.ts'
import { openEmbedded, openStores, type Stores } from '../../src/stores.ts'
import { copyArtifacts } from './artifacts.ts'
import { copyLog } from './log.ts'

/** Copies the contents of DATA_DIR to the configured stores, and prints a summary of the copy. */
export async function runCopyLog(io: Io): Promise<void> {
  const config = readConfig(io.env)
  if (hasEmbeddedLog(config)) throw new CommandFailed('EVENTSTORE_URL must name the log to copy to')
  if (!existsSync(join(config.dataDir, 'log.db')))
    throw new CommandFailed(`DATA_DIR ${config.dataDir} has no log to copy`)
  const from = openEmbedded(config)
  try {
    const to = await openStores(config)
    try {
      await copy(io, from, to, config)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copy(
  io: Io,
  from: ReturnType<typeof openEmbedded>,
  to: Stores,
  { s3Url }: Config,
): Promise<void> {
  const { signal } = io
  // The position of the last event of the embedded log is the number of its events.
  const all = Math.max(1, (await from.log.head()) ?? 0)
  const bar = progressBar(io, 'copy')
  try {
    const copied = await copyLog({
      original: from.log,
      target: to.log,
      signal,
      onProgress: (events) => bar(Math.min(1, events / all), events),
    })
    const { db } = from.log
    const artifacts = await copyArtifacts({
      db,
      folder: from.folder,
      target: to.artifacts,
      now: io.now(),
      signal,
    })
    const logins =
      s3Url === null
        ? 'saved logins stay in DATA_DIR: stop the server, then run gleaner vault rotate to wrap their keys with VAULT_KEY'
        : `${from.vault ? await to.vault.copyFrom(from.vault, signal) : 0} saved logins`
    io.out(
      `log ${from.log.id} was copied to log ${to.log.id}: ${copied.events} events, ${copied.added} of them new, SHA-256 ${copied.sha256}\n` +
        `${artifacts} artifacts\n${logins}\n`,
    )
  } catch (error) {
    if (signal.aborted && error === signal.reason)
      throw new CommandFailed('stopped; run it again to copy the rest')
    throw error
  }
}
