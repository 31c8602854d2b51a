/**
 * The command line in this process, on a temporary data folder on which the first start has already happened.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { projections } from '../../projections/all.ts'
import { caughtUp } from '../../rigs/support/read-models.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { createProgram, runCli } from '../../src/cli/cli.ts'
import { processIo } from '../../src/cli/io.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { bootstrap } from '../../src/keys/bootstrap.ts'
import { Keys } from '../../src/keys/keys.ts'
import { Projector } from '../../src/read/projector.ts'
import { waitingFor } from '../../src/read/wait-until-projected.ts'
import { openStores, type Stores } from '../../src/stores.ts'
import { Keyring } from '../../src/vault/keyring.ts'
import { addTools } from '../../tools/commands.ts'

export type Result = { readonly code: number; readonly out: string; readonly err: string }

export type CommandLine = {
  readonly folder: string
  /** the first key of the account `default` */
  readonly key: string
  /** the settings that `serve` was called with */
  readonly served: Config[]
  /** Runs `gleaner` with words between blanks, or with the words of a list. */
  gleaner(line: string | readonly string[], options?: Options): Promise<Result>
  remove(): void
}

export type Options = {
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly terminal?: boolean
  /** the lines of stdin */
  readonly lines?: readonly string[]
  /** called with each written text, as it is written */
  readonly hear?: (text: string) => void
}

/** Every command: its full name, the first line of its description and its options. */
export function allCommands(): { name: string; about: string; options: string[] }[] {
  const all = (command: Command, path: string): ReturnType<typeof allCommands> =>
    command.commands.flatMap((sub) => {
      const name = `${path}${sub.name()}`
      const own = {
        name,
        about: sub.description().split('\n')[0] ?? '',
        options: sub.options.flatMap(({ long }) => (long ? [long] : [])),
      }
      if (sub.commands.length === 0) return own
      // Commander does not show which one is the default.
      const { _defaultCommandName: main } = sub as { readonly _defaultCommandName?: string | null }
      return [...(main ? [own] : []), ...all(sub, `${name} `)]
    })
  return all(
    createProgram(addTools, async () => {}, processIo()),
    '',
  )
}

/** Not the folder's own: no test shall find a file of the vault that no command made. */
const VAULT_KEY = Buffer.alloc(32, 7).toString('base64')

/** A command line on a new temporary folder. */
export async function commandLine(): Promise<CommandLine> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-cli-'))
  const key = await withServices(folder, async ({ log, readModels, ephemeral }, keys) => {
    const accounts = new Accounts(log, readModels)
    const firstKey = await bootstrap({
      log,
      accounts,
      keys,
      ephemeral,
      secrets: new Keyring({ vaultKey: VAULT_KEY, vaultKeyOld: null, dataDir: folder }),
      key: null,
      credits: 1000,
      now: Date.now,
    })
    if (firstKey === null) throw new Error('no key was made')
    return firstKey
  })
  return {
    ...commandLineOn(folder),
    folder,
    key,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A command line on an existing folder. */
export function commandLineOn(folder: string): Pick<CommandLine, 'served' | 'gleaner'> {
  const served: Config[] = []
  return {
    served,
    async gleaner(
      line,
      { env = {}, signal = new AbortController().signal, terminal = false, lines = [], hear } = {},
    ) {
      const printed = { out: '', err: '' }
      const write = (stream: 'out' | 'err') => (text: string) => {
        printed[stream] += text
        hear?.(text)
      }
      const serve = async (config: Config) => void served.push(config)
      const io = {
        env: { DATA_DIR: folder, PATH: process.env.PATH, ...env },
        out: write('out'),
        err: write('err'),
        isTerminal: terminal,
        now: Date.now,
        lines: async function* () {
          yield* lines
        },
        signal,
      }
      const code = await runCli(
        typeof line === 'string' ? line.split(' ').filter(Boolean) : line,
        addTools,
        serve,
        io,
      )
      return { code, ...printed }
    },
  }
}

/** Opens a folder's services as a server does, with caught-up read models, and closes them at the end. */
export async function withServices<T>(
  folder: string,
  use: (stores: Stores, keys: Keys) => Promise<T>,
): Promise<T> {
  const stores = await openStores(readConfig({ DATA_DIR: folder }))
  const { log, readModels, ephemeral } = stores
  const projector = new Projector(log, readModels, projections)
  await projector.start()
  try {
    await caughtUp(projector, log, readModels, projections)
    const waitUntilProjected = waitingFor(log, readModels, projector)
    return await use(
      stores,
      new Keys({ log, readModels, ephemeral, waitUntilProjected, operatorKey: null, now: Date.now }),
    )
  } finally {
    await projector.stop()
    await stores.close()
  }
}
