/**
 * `gleaner vault`: the keys of saved logins.
 *
 * @module
 */
import { type Config, isEmbedded, readConfig } from '../config.ts'
import { FolderInUse, lockFolder } from '../sqlite/lock.ts'
import { keyringOf, openVault } from '../stores.ts'
import type { Vault } from '../vault/vault.ts'
import { type Call, type Command, CommandFailed, OK } from './command.ts'
import { accountOf, mustHoldData, withStores } from './stores.ts'

export const vaultRotate: Command = {
  name: 'vault rotate',
  about: 'Wraps the keys of saved logins by VAULT_KEY, or by a new key in DATA_DIR.',
  operands: '',
  count: [0, 0],
  options: {},
  details:
    'With VAULT_KEY set: data keys that VAULT_KEY_OLD wraps, or vault.key in DATA_DIR, are wrapped by VAULT_KEY, and the\nother key may go. Without it: a new key is made and takes the place of vault.key. Saved logins stay as they are.\nA server on the embedded log must be stopped for it; nodes on EVENTSTORE_URL go on, if all of them have both settings.\nBroken off, it is simply started again.',
  async run({ io }) {
    const config = readConfig(io.env)
    mustHoldData(config)
    const unlock = isEmbedded(config) ? lock(config.dataDir) : undefined
    try {
      const vault = await openVault(config)
      try {
        io.out(`${await rotate(vault, config)}\n`)
        return OK
      } finally {
        await vault.close()
      }
    } finally {
      unlock?.()
    }
  },
}

export const vaultForget: Command = {
  name: 'vault forget',
  about: 'Destroys the keys and the saved logins of an account, for ever.',
  operands: '<account_id>',
  count: [1, 1],
  options: {},
  details:
    '<account_id> is an id like acc_…, or "default" for the account of the first start. It works at once, beside running\nservers too. What backups hold of its saved logins can be read only together with a backup of its keys.',
  run: (call: Call) =>
    withStores(call, async ({ stores, ledger }) => {
      const account = await accountOf(ledger, call.operands[0])
      const { keys, states } = await stores.vault.forget(account)
      call.io.out(
        `destroyed ${counted(keys, 'data key')} and ${counted(states, 'saved login')} of ${account}\n`,
      )
      return OK
    }),
}

/** @returns what was done, in words */
async function rotate(vault: Vault, config: Config): Promise<string> {
  const { rewrapped, found } = await vault.rotate()
  if (found.outdated > 0)
    throw new CommandFailed(
      `${counted(found.outdated, 'data key')} came with another key meanwhile: give all processes the same VAULT_KEY and VAULT_KEY_OLD first`,
    )
  const { lost } = found
  if (lost.length > 0)
    throw new CommandFailed(
      `${counted(rewrapped, 'data key')} rewrapped, but no key opens those of ${lost.join(', ')}: set VAULT_KEY_OLD to the key that wrapped them, or, if it is lost, see gleaner vault forget --help`,
    )
  const name = config.vaultKey === null ? 'vault.key' : 'VAULT_KEY'
  const needless = keyringOf(config)
    .known()
    .filter((known) => known !== name)
  const by = name === 'VAULT_KEY' ? name : 'a new key in vault.key'
  const rest = needless.length > 0 ? `; ${needless.join(' and ')} may go` : ''
  return `${counted(rewrapped, 'data key')} rewrapped, every one is wrapped by ${by} now${rest}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** A server keeps its folder locked; without one nobody else makes data keys meanwhile. */
function lock(dataDir: string): () => void {
  try {
    return lockFolder(dataDir)
  } catch (error) {
    if (error instanceof FolderInUse) throw new CommandFailed(error.message)
    throw error
  }
}
