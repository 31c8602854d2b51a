/**
 * `gleaner vault` and the doctor's checks of the vault.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { vault, vaultKey } from '../../src/cli/doctor/vault.ts'
import { readConfig } from '../../src/config.ts'
import { type AccountId, newAccountId } from '../../src/domain/ids.ts'
import { DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { lockFolder } from '../../src/sqlite/lock.ts'
import { openVault } from '../../src/stores.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { testBucketUrl } from '../artifacts/s3.ts'
import { type CommandLine, commandLine } from './command-line.ts'

const folder = temporaryFolder()
const aKey = () => randomBytes(32).toString('base64')

let line: CommandLine
beforeAll(async () => {
  line = await commandLine()
})
afterAll(() => line.remove())
beforeEach(() => {
  for (const name of ['vault.db', 'vault.db-wal', 'vault.db-shm', 'vault.key', 'vault.key.new'])
    rmSync(join(line.folder, name), { force: true })
})

type Env = Readonly<Record<string, string>>

const withVault = async <T>(env: Env, use: (vault: Vault) => Promise<T>): Promise<T> => {
  const vault = await openVault(readConfig({ DATA_DIR: line.folder, ...env }))
  try {
    return await use(vault)
  } finally {
    await vault.close()
  }
}
/** Saves a login of an account. @returns its ref */
const save = (env: Env, account: AccountId = DEFAULT_ACCOUNT) =>
  withVault(env, (vault) => vault.save(account, 'photo', 'signed in'))
const load = (env: Env, ref: string, account: AccountId = DEFAULT_ACCOUNT) =>
  withVault(env, (vault) => vault.load(account, 'photo', ref))
const other = () => newAccountId(Date.now(), randomBytes(10))

describe('vault rotate', () => {
  test('rewraps the keys of VAULT_KEY_OLD with VAULT_KEY, and says that VAULT_KEY_OLD can be removed', async () => {
    const [old, next] = [aKey(), aKey()]
    const ref = await save({ VAULT_KEY: old })
    await save({ VAULT_KEY: old }, other())
    const env = { VAULT_KEY: next, VAULT_KEY_OLD: old }
    const { code, out, err } = await line.gleaner('vault rotate', { env })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(
      '2 data keys rewrapped; all are now wrapped with VAULT_KEY; VAULT_KEY_OLD can be removed\n',
    )
    expect(await load({ VAULT_KEY: next }, ref)).toBe('signed in')
    for (const key of [old, next]) expect(out).not.toContain(key)
  })

  test('creates a new key file without VAULT_KEY', async () => {
    const ref = await save({})
    const path = join(line.folder, 'vault.key')
    const before = readFileSync(path, 'utf8')
    const { code, out } = await line.gleaner('vault rotate')
    expect([code, out]).toEqual([
      0,
      '1 data key rewrapped; all are now wrapped with a new key in vault.key\n',
    ])
    expect(readFileSync(path, 'utf8')).not.toBe(before)
    expect(existsSync(`${path}.new`)).toBe(false)
    expect(await load({}, ref)).toBe('signed in')
  })

  test('rewraps the keys of the key file with VAULT_KEY, and says that the file can be removed', async () => {
    const ref = await save({})
    const env = { VAULT_KEY: aKey() }
    expect((await line.gleaner('vault rotate', { env })).out).toContain('; vault.key can be removed\n')
    rmSync(join(line.folder, 'vault.key'))
    expect(await load(env, ref)).toBe('signed in')
  })

  test('names accounts whose keys neither setting opens, and exits with 1', async () => {
    const [lost, good] = [other(), aKey()]
    await save({ VAULT_KEY: aKey() }, lost)
    const ref = await save({ VAULT_KEY: good })
    const env = { VAULT_KEY: aKey(), VAULT_KEY_OLD: good }
    const { code, err } = await line.gleaner('vault rotate', { env })
    expect(code).toBe(1)
    expect(err).toContain(
      `1 data key rewrapped, but no key opens the data keys of ${lost}: set VAULT_KEY_OLD`,
    )
    expect(await load({ VAULT_KEY: env.VAULT_KEY }, ref)).toBe('signed in')
  })

  test('is refused while a server uses the folder and its old key', async () => {
    const ref = await save({})
    const before = readFileSync(join(line.folder, 'vault.key'), 'utf8')
    const unlock = lockFolder(line.folder)
    const { code, err } = await line.gleaner('vault rotate')
    unlock()
    expect(code).toBe(1)
    expect(err).toContain('is in use by another server')
    expect(readFileSync(join(line.folder, 'vault.key'), 'utf8')).toBe(before)
    expect(await load({}, ref)).toBe('signed in')
  })

  test('names a folder that cannot be locked', async () => {
    const path = join(line.folder, 'server.lock')
    rmSync(path, { force: true })
    mkdirSync(path)
    const { code, err } = await line.gleaner('vault rotate')
    rmdirSync(path)
    expect(code).toBe(1)
    expect(err).toStartWith(`gleaner: DATA_DIR ${line.folder} cannot be used: `)
  })

  test('works on an object store', async () => {
    const [old, next] = [aKey(), aKey()]
    const S3_URL = await testBucketUrl(folder)
    const ref = await save({ S3_URL, VAULT_KEY: old })
    const env = { S3_URL, VAULT_KEY: next, VAULT_KEY_OLD: old }
    expect((await line.gleaner('vault rotate', { env })).out).toContain(
      '1 data key rewrapped; all are now wrapped',
    )
    expect(await load({ S3_URL, VAULT_KEY: next }, ref)).toBe('signed in')
    expect(existsSync(join(line.folder, 'vault.db'))).toBe(false)
  })

  test('reports a folder without data', async () => {
    const env = { DATA_DIR: join(folder, 'nothing') }
    const { code, err } = await line.gleaner('vault rotate', { env })
    expect([code, err]).toEqual([1, expect.stringContaining('holds no data')])
  })
})

describe('vault forget', () => {
  test('destroys the keys and saved logins of one account only', async () => {
    const foreign = other()
    const [ref, kept] = [await save({}), await save({}, foreign)]
    const { code, out } = await line.gleaner('vault forget default')
    expect([code, out]).toEqual([0, `destroyed 1 data key and 1 saved login of ${DEFAULT_ACCOUNT}\n`])
    expect(await load({}, ref)).toBeUndefined()
    expect(await load({}, kept, foreign)).toBe('signed in')
  })

  test('works beside a running server', async () => {
    await withVault({}, async (vault) => {
      const ref = await vault.save(DEFAULT_ACCOUNT, 'photo', 'signed in')
      const unlock = lockFolder(line.folder)
      expect((await line.gleaner(`vault forget ${DEFAULT_ACCOUNT}`)).code).toBe(0)
      unlock()
      expect(await vault.load(DEFAULT_ACCOUNT, 'photo', ref)).toBeUndefined()
    })
  })

  test('lets an account whose key was lost save logins again', async () => {
    await save({ VAULT_KEY: aKey() })
    const env = { VAULT_KEY: aKey() }
    await expect(save(env)).rejects.toThrow('no key opens')
    expect((await line.gleaner('vault forget default', { env })).code).toBe(0)
    expect(await load(env, await save(env))).toBe('signed in')
  })

  test('refuses a missing, an invalid and an unknown account', async () => {
    expect((await line.gleaner('vault forget')).code).toBe(2)
    expect((await line.gleaner('vault forget nobody')).code).toBe(2)
    const { code, err } = await line.gleaner(`vault forget ${other()}`)
    expect([code, err]).toEqual([1, expect.stringContaining('Unknown account')])
  })
})

describe('doctor', () => {
  /** Its findings about the vault. The other checks, such as the browser's start, are the same each time. */
  const checkVault = async (env: Env = {}) => {
    const config = readConfig({ DATA_DIR: line.folder, ...env })
    return { key: vaultKey(config), vault: await vault(config) }
  }
  const path = (name: string) => join(line.folder, name)

  test('reports that no key exists yet, and creates none', async () => {
    const { key, vault } = await checkVault()
    expect(key).toMatchObject({ level: 'ok', words: expect.stringContaining('none yet') })
    expect(vault.level).toBe('ok')
    expect(existsSync(path('vault.key'))).toBe(false)
  })

  test('warns of a key that exists only in the data folder', async () => {
    await save({})
    const { key, vault } = await checkVault()
    expect(key.words).toContain(`${path('vault.key')}, mode 0600`)
    expect(key.words).toContain('VAULT_KEY')
    expect(key.level).toBe('warn')
    expect(vault).toMatchObject({
      level: 'ok',
      words: 'data keys: 1, accounts and people: 1; all can be opened',
    })
  })

  test('reports the findings about the vault as a command too', async () => {
    const env = { VAULT_KEY: aKey() }
    await save({ VAULT_KEY: aKey() })
    const { key, vault } = await checkVault(env)
    // No browser is started: this test is not about it.
    const CHROMIUM_PATH = path('no-browser')
    const { code, out } = await line.gleaner('doctor --json', { env: { PORT: '0', CHROMIUM_PATH, ...env } })
    const { findings } = JSON.parse(out)
    expect([key.level, vault.level, code]).toEqual(['ok', 'fail', 1])
    expect(findings).toEqual(expect.arrayContaining([key, vault]))
  })

  test('warns of a key file that others can read', async () => {
    await save({})
    chmodSync(path('vault.key'), 0o644)
    expect((await checkVault()).key).toMatchObject({
      level: 'warn',
      words: expect.stringContaining('users other than the owner can read'),
    })
  })

  test('accepts VAULT_KEY, and mentions VAULT_KEY_OLD beside it', async () => {
    const env = { VAULT_KEY: aKey() }
    await save(env)
    expect(await checkVault(env)).toMatchObject({
      key: { level: 'ok', words: 'the setting VAULT_KEY' },
      vault: { level: 'ok', words: expect.stringContaining('all can be opened') },
    })
    const next = { VAULT_KEY: aKey(), VAULT_KEY_OLD: env.VAULT_KEY }
    expect(await checkVault(next)).toMatchObject({
      key: { level: 'ok', words: 'the setting VAULT_KEY, VAULT_KEY_OLD beside it' },
      vault: { level: 'warn', words: expect.stringContaining('1 with a former key: gleaner vault rotate') },
    })
  })

  test('warns of an interrupted rotation', async () => {
    await save({})
    writeFileSync(path('vault.key.new'), `${aKey()}\n`, { mode: 0o600 })
    expect((await checkVault()).key).toMatchObject({
      level: 'warn',
      words: expect.stringContaining('a rotation was interrupted'),
    })
  })

  test('fails for data keys that no key opens, and prints no key', async () => {
    const [one, two] = [aKey(), aKey()]
    await save({ VAULT_KEY: one })
    await save({ VAULT_KEY: two }, other())
    const { key, vault } = await checkVault({ VAULT_KEY: two })
    expect(vault).toMatchObject({
      level: 'fail',
      words: expect.stringContaining('no key opens the data keys of 1 of 2 accounts and people'),
    })
    for (const each of [one, two]) expect(JSON.stringify([key, vault])).not.toContain(each)
  })

  test('fails for a key file that holds no key, and for a broken vault', async () => {
    writeFileSync(path('vault.key'), 'nothing', { mode: 0o600 })
    writeFileSync(path('vault.db'), Buffer.alloc(8192, 'x'))
    const { key, vault } = await checkVault()
    expect([key.level, vault.level]).toEqual(['fail', 'fail'])
    expect(key.words).toContain('must hold 32 bytes in base64')
    expect(vault.words).toContain(`${path('vault.db')} cannot be opened`)
  })
})
