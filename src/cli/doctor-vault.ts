/**
 * The doctor's checks of the vault: where its key is, and whether it opens what it should.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { keyringOf, openVault } from '../stores.ts'
import { isOpenToOthers } from '../vault/key-file.ts'
import type { Keyring } from '../vault/keyring.ts'
import type { KeysFound } from '../vault/rotation.ts'
import type { Finding } from './doctor.ts'

type Judgement = Pick<Finding, 'level' | 'words'>

/** Where the key is that wraps all data keys, and who can read it. */
export function vaultKey(config: Config): Finding {
  const what = 'vault key'
  try {
    return { what, ...judgedKey(keyringOf(config)) }
  } catch (error) {
    return { what, level: 'fail', words: (error as Error).message }
  }
}

/** Whether the data keys of all accounts can be opened. */
export async function vault(config: Config): Promise<Finding> {
  const what = 'vault'
  if (config.s3Url === null && !existsSync(join(config.dataDir, 'vault.db')))
    return { level: 'ok', what, words: 'no login was saved yet' }
  try {
    const opened = await openVault(config, { onFailure: () => {} })
    try {
      return { what, ...judgedVault(await opened.check()) }
    } finally {
      await opened.close()
    }
  } catch (error) {
    return { what, level: 'fail', words: (error as Error).message }
  }
}

function judgedKey(keyring: Keyring): Judgement {
  const known = keyring.known()
  const file = keyring.pathOf('vault.key')
  const exposed = [file, keyring.pathOf('vault.key.new')].filter(isOpenToOthers)
  if (exposed.length > 0)
    return {
      level: 'warn',
      words: `others than its owner can read ${exposed.join(' and ')}: chmod 600, then gleaner vault rotate`,
    }
  if (known.includes('vault.key.new'))
    return {
      level: 'warn',
      words: `a rotation was broken off: stop the server, then gleaner vault rotate; till then keep ${file}.new`,
    }
  if (keyring.current === 'VAULT_KEY') {
    const others = known.filter((name) => name !== 'VAULT_KEY')
    return {
      level: 'ok',
      words: `the setting VAULT_KEY${others.length > 0 ? `, ${others.join(' and ')} beside it` : ''}`,
    }
  }
  if (!known.includes('vault.key'))
    return { level: 'ok', words: `none yet: ${file} is made when a login is saved first` }
  return {
    level: 'warn',
    words: `${file}, mode 0600, made there: a copy of DATA_DIR has saved logins and their key. Better set VAULT_KEY to what it holds and keep that elsewhere`,
  }
}

function judgedVault({ accounts, keys, outdated, lost }: KeysFound): Judgement {
  if (lost.length > 0)
    return {
      level: 'fail',
      words: `no key opens the data keys of ${lost.length} of ${accounts} accounts: set VAULT_KEY_OLD to the key that wrapped them, or restore vault.key; of one that is lost: gleaner vault forget`,
    }
  const words = `data keys: ${keys}, accounts: ${accounts}; all can be opened`
  if (outdated === 0) return { level: 'ok', words }
  return { level: 'warn', words: `${words}, ${outdated} by a former key: gleaner vault rotate` }
}
