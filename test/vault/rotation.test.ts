import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { VaultLocked } from '../../src/vault/keyring.ts'
import { aFolder, anAccount, aState, aVaultKey, objectsIn, vaultIn } from './parts.ts'

const base = temporaryFolder()

type Saved = { readonly account: AccountId; readonly ref: string; readonly state: string }
type Settings = { readonly vaultKey?: string; readonly vaultKeyOld?: string }

/** States of some accounts, wrapped as the settings say. */
async function fill(dataDir: string, settings: Settings, accounts = 3): Promise<Saved[]> {
  const vault = vaultIn(dataDir, settings)
  const saved: Saved[] = []
  for (let i = 0; i < accounts; i++) {
    const [account, state] = [anAccount(), aState()]
    saved.push({ account, state, ref: await vault.save(account, 'photo', state) })
  }
  await vault.close()
  return saved
}

async function allOpen(dataDir: string, settings: Settings, saved: readonly Saved[]): Promise<void> {
  const vault = vaultIn(dataDir, settings)
  for (const { account, ref, state } of saved) expect(await vault.load(account, 'photo', ref)).toBe(state)
  await vault.close()
}

describe('rotation by settings', () => {
  const [old, next] = [aVaultKey(), aVaultKey()]

  test('rewraps the data keys of VAULT_KEY_OLD, which is then unneeded; a second rotation rewraps nothing', async () => {
    const dataDir = aFolder(base)
    const saved = await fill(dataDir, { vaultKey: old })
    const both = { vaultKey: next, vaultKeyOld: old }
    saved.push(...(await fill(dataDir, both, 1)))
    expect(await vaultIn(dataDir, both).check()).toEqual({ owners: 4, keys: 4, outdated: 3, lost: [] })
    await allOpen(dataDir, both, saved)
    const check = { owners: 4, keys: 4, outdated: 0, lost: [] }
    expect(await vaultIn(dataDir, both).rotate()).toEqual({ rewrapped: 3, check })
    expect(await vaultIn(dataDir, both).rotate()).toEqual({ rewrapped: 0, check })
    await allOpen(dataDir, { vaultKey: next }, saved)
    const [first] = saved
    const vault = vaultIn(dataDir, { vaultKey: old })
    await expect(vault.load(first!.account, 'photo', first!.ref)).rejects.toThrow(VaultLocked)
    expect(existsSync(join(dataDir, 'vault.key'))).toBe(false)
  })

  test('rewraps the data keys of the key file with VAULT_KEY and keeps the file', async () => {
    const dataDir = aFolder(base)
    const saved = await fill(dataDir, {})
    await allOpen(dataDir, { vaultKey: next }, saved)
    expect((await vaultIn(dataDir, { vaultKey: next }).rotate()).rewrapped).toBe(3)
    expect(readdirSync(dataDir)).toContain('vault.key')
    const elsewhere = aFolder(base)
    cpSync(join(dataDir, 'vault.db'), join(elsewhere, 'vault.db'))
    await allOpen(elsewhere, { vaultKey: next }, saved)
  })

  test('rewraps the data keys of VAULT_KEY_OLD with a key file', async () => {
    const dataDir = aFolder(base)
    const saved = await fill(dataDir, { vaultKey: old })
    expect((await vaultIn(dataDir, { vaultKeyOld: old }).rotate()).rewrapped).toBe(3)
    await allOpen(dataDir, {}, saved)
  })

  test('reports the accounts whose data key no vault key unwraps, and rewraps the others', async () => {
    const dataDir = aFolder(base)
    const lost = await fill(dataDir, { vaultKey: aVaultKey() }, 1)
    const saved = await fill(dataDir, { vaultKey: old }, 2)
    const { rewrapped, check } = await vaultIn(dataDir, { vaultKey: next, vaultKeyOld: old }).rotate()
    expect([rewrapped, check.outdated, check.lost]).toEqual([2, 0, lost.map(({ account }) => account)])
    await allOpen(dataDir, { vaultKey: next }, saved)
  })

  test('does not restore a data key that is destroyed during the rotation', async () => {
    const dataDir = aFolder(base)
    const [saved] = await fill(dataDir, { vaultKey: old }, 1)
    const objects = objectsIn(dataDir)
    const vault = vaultIn(
      dataDir,
      { vaultKey: next, vaultKeyOld: old },
      {
        ...bound(objects),
        get: async (key) => {
          const body = await objects.get(key)
          await vaultIn(dataDir).forget(saved!.account)
          return body
        },
      },
    )
    expect((await vault.rotate()).rewrapped).toBe(0)
    expect(await objects.list('')).toEqual([])
  })

  /** An adapter as a plain object, so that a test can replace some of its methods. */
  const bound = (objects: ReturnType<typeof objectsIn>): ReturnType<typeof objectsIn> => ({
    put: (key, body) => objects.put(key, body),
    create: (key, body) => objects.create(key, body),
    replace: (key, body) => objects.replace(key, body),
    get: (key) => objects.get(key),
    delete: (key) => objects.delete(key),
    list: (prefix) => objects.list(prefix),
    close: () => objects.close(),
  })
})

describe('rotation of the key file', () => {
  test('creates a new key that unwraps every data key; the old key unwraps none', async () => {
    const dataDir = aFolder(base)
    const saved = await fill(dataDir, {})
    const before = readFileSync(join(dataDir, 'vault.key'), 'utf8').trim()
    expect((await vaultIn(dataDir).rotate()).rewrapped).toBe(3)
    expect(readFileSync(join(dataDir, 'vault.key'), 'utf8').trim()).not.toBe(before)
    expect(existsSync(join(dataDir, 'vault.key.new'))).toBe(false)
    await allOpen(dataDir, {}, saved)
    const elsewhere = aFolder(base)
    cpSync(join(dataDir, 'vault.db'), join(elsewhere, 'vault.db'))
    const { lost } = await vaultIn(elsewhere, { vaultKey: before }).check()
    expect([...lost].sort()).toEqual(saved.map(({ account }) => account).sort())
  })
})

describe('a process that is killed', () => {
  const SCRIPT = new URL('./rotating.ts', import.meta.url)
  const [old, next] = [aVaultKey(), aVaultKey()]

  /** Rotates in a child process and kills it before its n-th step. @returns false if it completed before */
  async function killedAt(step: number, dataDir: string, settings: readonly string[]): Promise<boolean> {
    const child = startChild(SCRIPT, [dataDir, ...settings])
    for (let i = 0; ; i++) {
      const { value } = await child.lines.next()
      if (value === 'rotated') {
        expect(await child.ended).toBe(0)
        return false
      }
      expect(value).toMatch(/^(list|get|replace)$/)
      if (i === step) break
      child.process.stdin?.write('go\n')
    }
    child.process.kill('SIGKILL')
    expect(await child.ended).toBe('SIGKILL')
    return true
  }

  test.each<[string, Settings, Settings, readonly string[]]>([
    ['of the key file', {}, {}, []],
    ['by settings', { vaultKey: old }, { vaultKey: next, vaultKeyOld: old }, [next, old]],
  ])(
    'at any step of a rotation %s leaves every login readable, and the next rotation completes it',
    async (_, before, during, settings) => {
      for (let step = 0; ; step++) {
        const dataDir = aFolder(base)
        const saved = await fill(dataDir, before, 2)
        const killed = await killedAt(step, dataDir, settings)
        await allOpen(dataDir, during, saved)
        // States saved in between count too.
        saved.push(...(await fill(dataDir, during, 1)))
        const { check } = await vaultIn(dataDir, during).rotate()
        expect(check).toEqual({ owners: 3, keys: 3, outdated: 0, lost: [] })
        expect(existsSync(join(dataDir, 'vault.key.new'))).toBe(false)
        await allOpen(dataDir, during.vaultKey === undefined ? {} : { vaultKey: next }, saved)
        if (!killed) {
          // A child that never advanced would prove nothing.
          expect(step).toBeGreaterThan(6)
          break
        }
      }
    },
    120_000,
  )
})
