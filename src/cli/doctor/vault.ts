/**
 * The doctor's checks of the vault: the location of its key, and whether the key opens all data keys.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isOpenToOthers } from '../../sqlite/private-file.ts'
import { openVault } from '../../stores.ts'
import type { KeyCheck } from '../../vault/data-keys.ts'
import { Keyring } from '../../vault/keyring.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The location of the key that wraps all data keys, and who can read it. */
export function vaultKey(config: Config): Finding {
  try {
    return judgeKey('vault key', new Keyring(config))
  } catch (error) {
    return fail('vault key', (error as Error).message)
  }
}

/** Whether the data keys of all accounts can be opened. */
export async function vault(config: Config): Promise<Finding> {
  const what = 'vault'
  if (config.s3Url === null && !existsSync(join(config.dataDir, 'vault.db')))
    return ok(what, 'no login has been saved yet')
  try {
    const opened = await openVault(config, { onFailure: () => {} })
    try {
      return judgeVault(what, await opened.check())
    } finally {
      await opened.close()
    }
  } catch (error) {
    return fail(what, (error as Error).message)
  }
}

function judgeKey(what: string, keyring: Keyring): Finding {
  const known = keyring.known()
  const file = keyring.pathOf('vault.key')
  const exposed = [file, keyring.pathOf('vault.key.new')].filter(isOpenToOthers)
  if (exposed.length > 0)
    return warn(
      what,
      `users other than the owner can read ${exposed.join(' and ')}: chmod 600, then gleaner vault rotate`,
    )
  if (known.includes('vault.key.new'))
    return warn(
      what,
      `a rotation was interrupted: stop the server, then gleaner vault rotate; until then keep ${file}.new`,
    )
  if (keyring.current === 'VAULT_KEY') {
    const others = known.filter((name) => name !== 'VAULT_KEY')
    return ok(what, `the setting VAULT_KEY${others.length > 0 ? `, ${others.join(' and ')} beside it` : ''}`)
  }
  if (!known.includes('vault.key'))
    return ok(what, `none yet: ${file} is created when the first person joins or the first login is saved`)
  return warn(
    what,
    `${file}, mode 0600, created there: a copy of DATA_DIR contains both the saved logins and their key. It is safer to set VAULT_KEY to its content and to store that elsewhere`,
  )
}

function judgeVault(what: string, { owners, keys, outdated, lost }: KeyCheck): Finding {
  if (lost.length > 0)
    return fail(
      what,
      `no key opens the data keys of ${lost.length} of ${owners} accounts and people: set VAULT_KEY_OLD to the key that wrapped them, or restore vault.key; if it is lost: gleaner vault forget`,
    )
  const words = `data keys: ${keys}, accounts and people: ${owners}; all can be opened`
  return outdated === 0
    ? ok(what, words)
    : warn(what, `${words}, ${outdated} with a former key: gleaner vault rotate`)
}
