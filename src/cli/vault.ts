/**
 * `gleaner vault`: manages the keys of saved logins.
 *
 * @module
 */
import type { Command } from 'commander'
import { type Config, hasEmbeddedLog, readConfig } from '../config.ts'
import { type AccountId, parseAccountId } from '../domain/ids.ts'
import { openVault } from '../stores.ts'
import { Keyring } from '../vault/keyring.ts'
import type { Owner } from '../vault/paths.ts'
import type { Vault } from '../vault/vault.ts'
import { accountArgument } from './arguments.ts'
import { count } from './columns.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'
import { withPeople } from './people.ts'
import { causeOf, lockDataDir, mustExist, mustHoldData, withStores } from './stores.ts'

export function addVault(program: Command, io: Io): void {
  const vault = program.command('vault').description('Manages the keys of saved logins.')
  vault
    .command('rotate')
    .description(
      `Wraps the data keys of saved logins with VAULT_KEY, or with a new key in DATA_DIR.

With VAULT_KEY set, it rewraps all data keys that VAULT_KEY_OLD or vault.key in DATA_DIR wraps; that key can be removed afterwards. Without VAULT_KEY it replaces vault.key by a new key. Saved logins stay as they are. A server on the embedded log must be stopped first; nodes on EVENTSTORE_URL keep running if all of them have both settings. After an interruption, run it again.`,
    )
    .action(async () => {
      const config = readConfig(io.env)
      mustHoldData(config)
      // The lock excludes a server, so no other process creates data keys during the rotation.
      const unlock = hasEmbeddedLog(config) ? lockDataDir(config.dataDir) : undefined
      try {
        const vault = await openVault(config)
        try {
          io.out(`${await rotate(vault, config)}\n`)
        } finally {
          await vault.close()
        }
      } finally {
        unlock?.()
      }
    })
  vault
    .command('forget')
    .description(
      `Destroys the keys and the saved logins of an account permanently.

With "people" it removes all people who sign in to the console, even the last owners of accounts, and destroys their data. It takes effect at once, also on running servers. What is in backups can then be read only with a backup of the keys.`,
    )
    .addArgument(accountArgument([PEOPLE]))
    .option('--force', 'Removes all people although their data can be read.')
    .action((owner: AccountId | typeof PEOPLE, { force }: { force?: true }) =>
      owner === PEOPLE ? forgetPeople(io, force === true) : forget(io, owner),
    )
}

/** What `forget` and messages call the data of all people. */
const PEOPLE = 'people'

const forget = (io: Io, account: AccountId) =>
  withStores(io, async ({ stores, accounts }) => {
    await mustExist(accounts, account)
    const { keys, states } = await stores.vault.forget(account)
    io.out(`destroyed ${count(keys, 'data key')} and ${count(states, 'saved login')} of ${account}\n`)
  })

const forgetPeople = (io: Io, force: boolean) =>
  withPeople(io, async ({ members, stores }) => {
    if (!force && !(await stores.vault.check()).lost.includes('people'))
      throw new CommandFailed(
        'The data of people can be read, so nobody was removed. Use gleaner people remove for one of them, or --force to remove everybody.',
      )
    const erased = await members.eraseAll(causeOf(io, 'vault forget people'))
    io.out(
      `removed ${erased === 1 ? '1 person' : `${erased} people`}; set up the console again with: gleaner people setup-link\n`,
    )
  })

/** The arguments of `forget` for these owners. */
const argumentsFor = (owners: readonly Owner[]): string =>
  [...new Set(owners.map((owner) => parseAccountId(owner) ?? PEOPLE))].join(', ')

/** @returns a summary in words */
async function rotate(vault: Vault, config: Config): Promise<string> {
  const { rewrapped, check } = await vault.rotate()
  if (check.outdated > 0)
    throw new CommandFailed(
      `${count(check.outdated, 'data key')} appeared with another key during the rotation: give all processes the same VAULT_KEY and VAULT_KEY_OLD first`,
    )
  const { lost } = check
  if (lost.length > 0)
    throw new CommandFailed(
      `${count(rewrapped, 'data key')} rewrapped, but no key opens the data keys of ${argumentsFor(lost)}: set VAULT_KEY_OLD to the key that wrapped them, or, if it is lost, see gleaner vault forget --help`,
    )
  const name = config.vaultKey === null ? 'vault.key' : 'VAULT_KEY'
  const needless = new Keyring(config).known().filter((known) => known !== name)
  const by = name === 'VAULT_KEY' ? name : 'a new key in vault.key'
  const rest = needless.length > 0 ? `; ${needless.join(' and ')} can be removed` : ''
  return `${count(rewrapped, 'data key')} rewrapped; all are now wrapped with ${by}${rest}`
}
