/**
 * `gleaner copy-log`: from the embedded log to EventStoreDB.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { copyArtifacts } from '../artifacts/copy.ts'
import { type Config, readConfig } from '../config.ts'
import { CopyFailed, copyLog as copyEvents } from '../log/copy.ts'
import { openEmbedded, openStores, type Stores } from '../stores.ts'
import { type Call, type Command, CommandFailed, OK } from './command.ts'
import { progressBar } from './progress.ts'

export const copyLog: Command = {
  name: 'copy-log',
  about: 'Copies log, artifacts and saved logins in DATA_DIR to EVENTSTORE_URL and S3_URL.',
  operands: '',
  count: [0, 0],
  options: {},
  details:
    'Events keep their ids and their order; positions become those of the new log, which refuses the old ones. It may be\nbroken off and started again, also beside a running server: it goes on where it stopped. At its end all events of\nboth logs have been compared. Stop the server before the last time, and start it with EVENTSTORE_URL after it.',
  async run(call) {
    const config = readConfig(call.io.env)
    if (config.eventstoreUrl === null) throw new CommandFailed('EVENTSTORE_URL must name where to copy to')
    if (!existsSync(join(config.dataDir, 'log.db')))
      throw new CommandFailed(`DATA_DIR ${config.dataDir} holds no log to copy`)
    const from = openEmbedded(config)
    try {
      const to = await openStores(config)
      try {
        return await copy(call, from, to, config)
      } finally {
        await to.close()
      }
    } finally {
      await from.close()
    }
  },
}

async function copy(
  { io }: Call,
  from: ReturnType<typeof openEmbedded>,
  to: Stores,
  { s3Url }: Config,
): Promise<number> {
  const { signal } = io
  // The position of the last event of the embedded log is the number of its events.
  const all = Math.max(1, (await from.log.head()) ?? 0)
  const bar = progressBar(io, 'copy', 'events')
  try {
    const copied = await copyEvents({
      read: (after, limit) => from.log.rows(after, limit),
      target: to.log,
      signal,
      onProgress: (events) => bar(Math.min(1, events / all), events),
    })
    const { writer: db } = from.log
    const artifacts = await copyArtifacts({
      db,
      folder: from.folder,
      target: to.artifacts,
      now: io.now(),
      signal,
    })
    const logins =
      s3Url === null
        ? 'saved logins stay in DATA_DIR: once the server was stopped, gleaner vault rotate wraps their keys by VAULT_KEY'
        : `${from.vault ? await to.vault.copyFrom(from.vault, signal) : 0} saved logins`
    io.out(
      `log ${from.log.id} is copied to log ${to.log.id}: ${copied.events} events, ${copied.added} of them now, SHA-256 ${copied.sha256}\n` +
        `${artifacts} artifacts\n${logins}\n`,
    )
    return OK
  } catch (error) {
    if (error instanceof CopyFailed) throw new CommandFailed(error.message)
    throw error
  }
}
