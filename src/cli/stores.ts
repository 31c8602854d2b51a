/**
 * The stores of commands: opened for one command and closed after it, with or without a running server.
 *
 * @module
 */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Accounts } from '../accounts/accounts.ts'
import { type Config, hasEmbeddedLog, readConfig } from '../config.ts'
import type { AccountId } from '../domain/ids.ts'
import { FolderInUse, lockFolder } from '../sqlite/lock.ts'
import { openStores, type Stores } from '../stores.ts'
import { whyNotWritten } from './doctor/machine.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'

/** The settings and stores of commands that act as the operator. */
export type Opened = { readonly config: Config; readonly stores: Stores; readonly accounts: Accounts }

/**
 * Opens the configured stores, and closes them when `use` is done.
 *
 * @throws {CommandFailed} when DATA_DIR holds no data: a mistyped folder must not become a new store
 */
export async function withStores<T>(io: Io, use: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(io.env)
  mustHoldData(config)
  const stores = await openStores(config)
  try {
    return await use({
      config,
      stores,
      accounts: new Accounts(stores.log, stores.readModels),
    })
  } finally {
    await stores.close()
  }
}

/** @throws {CommandFailed} when the embedded log is configured and DATA_DIR holds no data */
export function mustHoldData(config: Config): void {
  const { dataDir } = config
  if (hasEmbeddedLog(config) && !existsSync(join(dataDir, 'log.db'))) {
    throw new CommandFailed(
      `DATA_DIR ${dataDir} holds no data: start the server once, or name another folder`,
    )
  }
}

/**
 * Locks DATA_DIR, which is created if missing.
 *
 * @returns a function that releases it
 * @throws {FolderInUse} when a server uses it
 * @throws {CommandFailed} when it can't be written
 */
export function lockDataDir(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK)
    return lockFolder(dataDir)
  } catch (error) {
    if (error instanceof FolderInUse) throw error
    throw new CommandFailed(`DATA_DIR ${dataDir} cannot be used: ${whyNotWritten(error)}`)
  }
}

/** @throws {CommandFailed} when the account does not exist */
export async function mustExist(accounts: Accounts, account: AccountId): Promise<void> {
  const { status } = await accounts.state(account)
  if (status === 'none') throw new CommandFailed(`Unknown account ${account}.`)
}

/** The metadata of events that a command writes. */
export const causeOf = (io: Io, command: string) =>
  ({
    actor: 'operator',
    correlationId: `cli:${command}`,
    causationId: `cli:${command}`,
    now: io.now(),
  }) as const
