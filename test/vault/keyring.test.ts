import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { isOpenToOthers } from '../../src/sqlite/private-file.ts'
import { VaultLocked } from '../../src/vault/keyring.ts'
import { VaultDamaged } from '../../src/vault/sealing.ts'
import { aFolder, aVaultKey, keyringIn } from './parts.ts'

const base = temporaryFolder()
const PATH = 'acc_1/key/1'
const dataKey = randomBytes(32)
const file = (dataDir: string) => join(dataDir, 'vault.key')

test('a derived key is the same in every process and differs for each use and salt', () => {
  const vaultKey = aVaultKey()
  const [one, other] = [1, 2].map(() => keyringIn(aFolder(base), { vaultKey }))
  const hex = (use: string, salt: string) => one!.derived(use, salt).map(({ key }) => key.toString('hex'))
  expect(other!.derived('use', 'salt')).toEqual(one!.derived('use', 'salt'))
  expect(new Set([hex('use', 'salt'), hex('other', 'salt'), hex('use', 'other')].flat()).size).toBe(3)
  expect(hex('use', 'salt')[0]).not.toBe(Buffer.from(vaultKey, 'base64').toString('hex'))
})

test('derived keys come from every known vault key, the current one first', () => {
  const dataDir = aFolder(base)
  const [vaultKey, vaultKeyOld] = [aVaultKey(), aVaultKey()]
  const derivedKey = keyringIn(dataDir).derived('use', 'salt')
  expect(derivedKey).toHaveLength(1)
  expect(readdirSync(dataDir)).toEqual(['vault.key'])
  const all = keyringIn(dataDir, { vaultKey, vaultKeyOld }).derived('use', 'salt')
  const alone = (key: string) => keyringIn(aFolder(base), { vaultKey: key }).derived('use', 'salt')
  expect(all).toEqual([...alone(vaultKey), ...alone(vaultKeyOld), ...derivedKey])
})

describe('the key file', () => {
  test('is created at first use, readable by its owner only, and never replaced', () => {
    const dataDir = aFolder(base)
    const keyring = keyringIn(dataDir)
    expect(keyring.known()).toEqual([])
    expect(readdirSync(dataDir)).toEqual([])
    const wrapped = keyring.wrap(dataKey, PATH)
    expect(readdirSync(dataDir)).toEqual(['vault.key'])
    expect(statSync(file(dataDir)).mode & 0o777).toBe(0o600)
    const content = readFileSync(file(dataDir), 'utf8')
    expect(content).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
    const again = keyringIn(dataDir)
    again.wrap(dataKey, PATH)
    expect(readFileSync(file(dataDir), 'utf8')).toBe(content)
    expect(again.unwrap(wrapped, PATH).equals(dataKey)).toBe(true)
    expect(again.isCurrent(wrapped)).toBe(true)
  })

  test('holds a valid VAULT_KEY, and moving it there needs no rewrap', () => {
    const dataDir = aFolder(base)
    const wrapped = keyringIn(dataDir).wrap(dataKey, PATH)
    const vaultKey = readFileSync(file(dataDir), 'utf8').trim()
    const keyring = keyringIn(aFolder(base), { vaultKey })
    expect(keyring.isCurrent(wrapped)).toBe(true)
    expect(keyring.unwrap(wrapped, PATH).equals(dataKey)).toBe(true)
    expect(keyringIn(dataDir, { vaultKey }).isCurrent(wrapped)).toBe(true)
  })

  test.each(['', 'no key', `${'A'.repeat(42)}=`, `${'A'.repeat(43)}= and more`])(
    'with the content %p fails with an error that does not show the content, and stays unchanged',
    (content) => {
      const dataDir = aFolder(base)
      writeFileSync(file(dataDir), content)
      const error = thrown(() => keyringIn(dataDir).wrap(dataKey, PATH))
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(error.message).toBe(`${file(dataDir)} must hold 32 bytes in base64`)
      expect(readFileSync(file(dataDir), 'utf8')).toBe(content)
    },
  )

  test('that cannot be created fails with StoreUnavailable', () => {
    const dataDir = join(base, 'no-such-folder')
    expect(() => keyringIn(dataDir).wrap(dataKey, PATH)).toThrow(StoreUnavailable)
    expect(() => keyringIn(dataDir).wrap(dataKey, PATH)).toThrow(`${file(dataDir)} cannot be created`)
  })

  test('that other users can read is detected', () => {
    const dataDir = aFolder(base)
    expect(isOpenToOthers(file(dataDir))).toBeUndefined()
    keyringIn(dataDir).wrap(dataKey, PATH)
    expect(isOpenToOthers(file(dataDir))).toBe(false)
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(file(dataDir), mode)
      expect(isOpenToOthers(file(dataDir))).toBe(true)
    }
  })

  test('is not created when VAULT_KEY is set', () => {
    const dataDir = aFolder(base)
    keyringIn(dataDir, { vaultKey: aVaultKey() }).wrap(dataKey, PATH)
    expect(readdirSync(dataDir)).toEqual([])
  })
})

describe('a wrapped data key', () => {
  const [one, other] = [aVaultKey(), aVaultKey()]

  test('is unwrapped by VAULT_KEY, VAULT_KEY_OLD or vault.key, and wrapped by the first of them that exists', () => {
    const dataDir = aFolder(base)
    const byFile = keyringIn(dataDir).wrap(dataKey, PATH)
    const byOld = keyringIn(dataDir, { vaultKey: one }).wrap(dataKey, PATH)
    const keyring = keyringIn(dataDir, { vaultKey: other, vaultKeyOld: one })
    const byNew = keyring.wrap(dataKey, PATH)
    expect(keyring.known()).toEqual(['VAULT_KEY', 'VAULT_KEY_OLD', 'vault.key'])
    for (const wrapped of [byFile, byOld, byNew])
      expect(keyring.unwrap(wrapped, PATH).equals(dataKey)).toBe(true)
    expect([byFile, byOld, byNew].map((wrapped) => keyring.isCurrent(wrapped))).toEqual([false, false, true])
    expect(keyringIn(aFolder(base), { vaultKey: other }).isCurrent(byNew)).toBe(true)
  })

  test('cannot be unwrapped with another key', () => {
    const wrapped = keyringIn(base, { vaultKey: one }).wrap(dataKey, PATH)
    const keyring = keyringIn(aFolder(base), { vaultKey: other })
    const error = thrown(() => keyring.unwrap(wrapped, PATH))
    expect(error).toBeInstanceOf(VaultLocked)
    for (const key of [one, other]) expect(error.message).not.toContain(key)
    expect(keyring.isCurrent(wrapped)).toBe(false)
  })

  test('cannot be unwrapped at another path', () => {
    const keyring = keyringIn(aFolder(base), { vaultKey: one })
    const wrapped = keyring.wrap(dataKey, PATH)
    expect(() => keyring.unwrap(wrapped, 'acc_2/key/1')).toThrow(VaultDamaged)
  })

  test('does not contain a key in clear, and a printed keyring shows no key', () => {
    const keyring = keyringIn(aFolder(base), { vaultKey: one, vaultKeyOld: other })
    const wrapped = keyring.wrap(dataKey, PATH)
    expect(wrapped.includes(dataKey)).toBe(false)
    expect(wrapped.includes(Buffer.from(one, 'base64').subarray(0, 8))).toBe(false)
    for (const key of [one, other]) expect(inspect(keyring, { depth: 9 })).not.toContain(key)
  })
})

describe('a rotation of the key file', () => {
  test('keeps the old key until it ends; then the new key replaces it', () => {
    const dataDir = aFolder(base)
    const keyring = keyringIn(dataDir)
    const byOld = keyring.wrap(dataKey, PATH)
    keyring.beginRotation()
    const byNew = keyring.wrap(dataKey, PATH)
    expect([keyring.isCurrent(byOld), keyring.isCurrent(byNew)]).toEqual([false, true])
    expect(statSync(`${file(dataDir)}.new`).mode & 0o777).toBe(0o600)
    // Another process, or this one after a crash, opens both.
    for (const wrapped of [byOld, byNew])
      expect(keyringIn(dataDir).unwrap(wrapped, PATH).equals(dataKey)).toBe(true)
    keyring.endRotation()
    expect(readdirSync(dataDir)).toEqual(['vault.key'])
    expect(keyring.isCurrent(byNew)).toBe(true)
    expect(() => keyring.unwrap(byOld, PATH)).toThrow(VaultLocked)
  })

  test('that was interrupted continues with the key that it created', () => {
    const dataDir = aFolder(base)
    keyringIn(dataDir).wrap(dataKey, PATH)
    keyringIn(dataDir).beginRotation()
    const newFile = readFileSync(`${file(dataDir)}.new`, 'utf8')
    const again = keyringIn(dataDir)
    again.beginRotation()
    expect(readFileSync(`${file(dataDir)}.new`, 'utf8')).toBe(newFile)
    again.endRotation()
    expect(readFileSync(file(dataDir), 'utf8')).toBe(newFile)
    expect(existsSync(`${file(dataDir)}.new`)).toBe(false)
  })
})

function thrown(call: () => unknown): Error {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
