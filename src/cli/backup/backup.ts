/**
 * `gleaner backup`: copies everything in DATA_DIR that cannot be rebuilt, beside a running server.
 *
 * @module
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import { type Config, hasEmbeddedLog, readConfig } from '../../config.ts'
import { syncToDisk } from '../../sqlite/durable.ts'
import { CommandFailed } from '../failure.ts'
import type { Io } from '../io.ts'
import { mustHoldData } from '../stores.ts'
import { copyArtifacts } from './artifacts.ts'
import { copyDatabases } from './databases.ts'

export function addBackup(program: Command, io: Io): void {
  program
    .command('backup')
    .argument('<folder>', 'Where to write the backup. It must not exist yet.')
    .description(
      `Copies the event log, artifacts, vault and webhook deliveries of DATA_DIR, beside a running server.

All databases are copied as of one moment, with SQLite's online backup, and then the files that they refer to. Every copy is checked. The folder gets its name when it is complete: a folder with another name than yours is of a backup that was interrupted. The vault's key is not copied. To restore, copy the files back into an empty DATA_DIR; see docs/operations.md.`,
    )
    .action((folder: string) => backUp(io, folder))
}

async function backUp(io: Io, folder: string): Promise<void> {
  const config = readConfig(io.env)
  mustHoldData(config)
  const target = resolve(folder)
  if (existsSync(target)) throw new CommandFailed(`${target} exists. Name a folder that does not.`)
  if (target.startsWith(config.dataDir + sep))
    throw new CommandFailed(`${target} is in DATA_DIR and would be lost with it. Name another folder.`)
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })

  const databases = await copyDatabases(config.dataDir, unfinished)
  const artifacts = await copyArtifacts({ from: config.dataDir, to: unfinished, now: io.now })
  syncToDisk(unfinished)
  renameSync(unfinished, target)
  syncToDisk(dirname(target))

  io.out(`${target}: ${databases.join(', ')} and ${artifacts.copied} files of artifacts, all checked\n`)
  for (const { ref, problem } of artifacts.damaged)
    io.err(`The artifact ${ref} ${problem} in DATA_DIR, so the backup lacks it.\n`)
  for (const advice of adviceOn(config)) io.err(`${advice}\n`)
}

function adviceOn(config: Config): string[] {
  const key = join(config.dataDir, 'vault.key')
  const advice = []
  if (config.vaultKey === null && existsSync(key))
    advice.push(`The backup does not contain the vault's key. Keep a copy of ${key} with your other secrets.`)
  if (!hasEmbeddedLog(config))
    advice.push('The event log is not in DATA_DIR. Back up EventStoreDB before this folder.')
  if (config.s3Url !== null)
    advice.push('Artifacts and saved logins are in the bucket that S3_URL names, and not in this backup.')
  return advice
}
