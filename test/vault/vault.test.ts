import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allLines, startChild } from '../../rigs/support/child.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { newPersonId } from '../../src/domain/ids.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { VaultLocked } from '../../src/vault/keyring.ts'
import { VaultDamaged } from '../../src/vault/sealing.ts'
import { aFolder, anAccount, aState, aVaultKey, fileOf, objectsIn, vaultIn } from './parts.ts'

const base = temporaryFolder()

describe('a state', () => {
  test('is read back as it was saved, in another process too', async () => {
    const dataDir = aFolder(base)
    const vault = vaultIn(dataDir)
    const [account, states] = [anAccount(), [aState(), '', 'ö'.repeat(200_000)]]
    for (const state of states) {
      const ref = await vault.save(account, 'microblog', state)
      expect(ref).toMatch(/^lgn_[0-9a-hjkmnp-tv-z]{26}$/)
      expect(await vaultIn(dataDir).load(account, 'microblog', ref)).toBe(state)
    }
  })

  test('is readable only under its own account, source and ref', async () => {
    const vault = vaultIn(aFolder(base))
    const [account, other] = [anAccount(), anAccount()]
    const ref = await vault.save(account, 'microblog', aState())
    const otherRef = await vault.save(other, 'microblog', aState())
    expect(await vault.load(other, 'microblog', ref)).toBeUndefined()
    expect(await vault.load(account, 'photo', ref)).toBeUndefined()
    expect(await vault.load(account, 'microblog', otherRef)).toBeUndefined()
    expect(await vault.load(account, 'microblog', 'lgn_../x')).toBeUndefined()
    expect(await vault.load(account, 'microblog', '')).toBeUndefined()
  })

  test('moved to another account, source or ref does not open there', async () => {
    const dataDir = aFolder(base)
    const [vault, objects] = [vaultIn(dataDir), objectsIn(dataDir)]
    const [account, other] = [anAccount(), anAccount()]
    const ref = await vault.save(account, 'microblog', aState())
    const foreign = await vault.save(other, 'microblog', aState())
    const body = (await objects.get(`${account}/state/microblog/${ref}`))!
    await objects.put(`${account}/state/photo/${ref}`, body)
    await objects.put(`${account}/state/microblog/${foreign}`, body)
    // Even with its data key copied along it does not open, because the key is bound to its account.
    for (const { key } of await objects.list(`${account}/key/`))
      await objects.put(key.replace(account, other), (await objects.get(key))!)
    await objects.put(`${other}/state/microblog/${ref}`, body)
    await expect(vault.load(account, 'photo', ref)).rejects.toThrow(VaultDamaged)
    await expect(vault.load(account, 'microblog', foreign)).rejects.toThrow(VaultDamaged)
    await expect(vault.load(other, 'microblog', ref)).rejects.toThrow(VaultDamaged)
  })

  test('that is damaged fails with VaultDamaged, and so does a damaged data key', async () => {
    const dataDir = aFolder(base)
    const [vault, objects] = [vaultIn(dataDir), objectsIn(dataDir)]
    const account = anAccount()
    const ref = await vault.save(account, 'microblog', aState())
    const path = `${account}/state/microblog/${ref}`
    const body = Buffer.from((await objects.get(path))!)
    await objects.put(path, body.subarray(0, -1))
    await expect(vault.load(account, 'microblog', ref)).rejects.toThrow(VaultDamaged)
    await objects.put(path, Buffer.from('nothing of ours'))
    await expect(vault.load(account, 'microblog', ref)).rejects.toThrow(VaultDamaged)
    await objects.put(path, body)
    const [{ key } = { key: '' }] = await objects.list(`${account}/key/`)
    const wrapped = Buffer.from((await objects.get(key))!)
    wrapped[40]! ^= 1
    await objects.put(key, wrapped)
    await expect(vault.load(account, 'microblog', ref)).rejects.toThrow(VaultDamaged)
    expect(await vault.check()).toEqual({ owners: 1, keys: 1, outdated: 0, lost: [account] })
  })

  test('and its keys are not stored in clear', async () => {
    const dataDir = aFolder(base)
    const vault = vaultIn(dataDir)
    const [account, state] = [anAccount(), aState()]
    await vault.save(account, 'microblog', state)
    const content = readFileSync(fileOf(dataDir))
    const secret = /[0-9a-f]{48}/.exec(state)?.[0] ?? ''
    const key = Buffer.from(readFileSync(join(dataDir, 'vault.key'), 'utf8'), 'base64')
    expect([secret.length, key.length]).toEqual([48, 32])
    expect([content.includes(secret), content.includes(key)]).toEqual([false, false])
    expect(content.includes('cookies')).toBe(false)
  })

  test('is replaced under its ref; a replace after its destruction does not restore it', async () => {
    const vault = vaultIn(aFolder(base))
    const account = anAccount()
    const [ref, next] = [await vault.save(account, 'microblog', aState()), aState()]
    await vault.replace(account, 'microblog', ref, next)
    expect(await vault.load(account, 'microblog', ref)).toBe(next)
    await vault.destroy(account, 'microblog')
    await vault.replace(account, 'microblog', ref, next)
    expect(await vault.load(account, 'microblog', ref)).toBeUndefined()
    expect(await vault.list(Number.POSITIVE_INFINITY)).toEqual([])
  })

  test('is not saved under an invalid source name', async () => {
    const vault = vaultIn(aFolder(base))
    await expect(vault.save(anAccount(), '../other', aState())).rejects.toThrow(TypeError)
  })
})

describe('destroying states', () => {
  test('removes all states of a login and of no other login', async () => {
    const dataDir = aFolder(base)
    const vault = vaultIn(dataDir)
    const [account, other] = [anAccount(), anAccount()]
    const refs = [await vault.save(account, 'photo', 'a'), await vault.save(account, 'photo', 'b')]
    const keptRef = await vault.save(account, 'photo_2', 'c')
    const others = await vault.save(other, 'photo', 'd')
    await vault.destroy(account, 'photo')
    for (const ref of refs) expect(await vault.load(account, 'photo', ref)).toBeUndefined()
    expect(await vault.load(account, 'photo_2', keptRef)).toBe('c')
    expect(await vault.load(other, 'photo', others)).toBe('d')
  })

  test('keeps the given state and newer ones', async () => {
    const dataDir = aFolder(base)
    const [vault, objects] = [vaultIn(dataDir), objectsIn(dataDir)]
    const account = anAccount()
    // Refs of the same millisecond are unordered, so these are fixed.
    const refs = ['lgn_00000000000000000000000001', 'lgn_00000000000000000000000002']
    for (const ref of refs) await objects.put(`${account}/state/photo/${ref}`, Buffer.from('x'))
    const newest = await vault.save(account, 'photo', 'newest')
    await vault.destroy(account, 'photo', refs[1])
    const left = async () => (await vault.list(Number.POSITIVE_INFINITY)).map(({ ref }) => ref)
    expect(await left()).toEqual([refs[1]!, newest])
    await vault.destroy(account, 'photo', newest)
    expect(await left()).toEqual([newest])
    expect(await vault.load(account, 'photo', newest)).toBe('newest')
  })

  test('removes only the given state, idempotently', async () => {
    const vault = vaultIn(aFolder(base))
    const account = anAccount()
    const [one, other] = [await vault.save(account, 'photo', '1'), await vault.save(account, 'photo', '2')]
    await vault.remove(account, 'photo', one)
    await vault.remove(account, 'photo', one)
    expect((await vault.list(Number.POSITIVE_INFINITY)).map(({ ref }) => ref)).toEqual([other])
  })

  test('can go by age: the list holds the states of all accounts last written before a time', async () => {
    const dataDir = aFolder(base)
    const vault = vaultIn(dataDir)
    const [account, other] = [anAccount(), anAccount()]
    const before = Date.now()
    const ref = await vault.save(account, 'photo', '1')
    const otherRef = await vault.save(other, 'microblog', '2')
    const listed = await vault.list(Date.now() + 1)
    const kind = 'state' as const
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual({ kind, account, source: 'photo', ref })
    expect(listed).toContainEqual({ kind, account: other, source: 'microblog', ref: otherRef })
    expect(await vault.list(before)).toEqual([])
  })
})

describe('a record', () => {
  const person = () => newPersonId(Date.now(), randomBytes(10))

  test('is read back as it was last saved, in another process too, and is not stored in clear', async () => {
    const dataDir = aFolder(base)
    const [vault, owner] = [vaultIn(dataDir), person()]
    await vault.saveRecord(owner, 'profile', 'ann@example.org')
    await vault.saveRecord(owner, 'profile', 'bea@example.org')
    expect(await vaultIn(dataDir).loadRecord(owner, 'profile')).toBe('bea@example.org')
    expect(readFileSync(fileOf(dataDir)).includes('@example.org')).toBe(false)
    await vault.removeRecord(owner, 'profile')
    expect(await vault.loadRecord(owner, 'profile')).toBeUndefined()
  })

  test('is readable only by its owner, and an account with states alone is not listed among people', async () => {
    const [vault, owner, account] = [vaultIn(aFolder(base)), person(), anAccount()]
    await vault.saveRecord(owner, 'profile', 'a')
    expect(await vault.loadRecord(person(), 'profile')).toBeUndefined()
    await vault.save(account, 'photo', 'b')
    expect(await vault.people(Date.now() + 60_000)).toEqual([owner])
    expect(await vault.people(0)).toEqual([])
    await expect(vault.saveRecord(owner, '../x', 'a')).rejects.toThrow(TypeError)
  })

  test('lost in a crash that left only the data key: its owner is still listed and can be forgotten', async () => {
    const dataDir = aFolder(base)
    const [vault, objects, owner] = [vaultIn(dataDir), objectsIn(dataDir), person()]
    await vault.saveRecord(owner, 'profile', 'a')
    await objects.delete(`${owner}/record/profile`)
    expect(await vault.people(Date.now() + 60_000)).toEqual([owner])
    await vault.forget(owner)
    expect(await vault.people(Date.now() + 60_000)).toEqual([])
  })

  test('is unreadable once its owner is forgotten, even when it is restored from a backup', async () => {
    const dataDir = aFolder(base)
    const [vault, objects, owner] = [vaultIn(dataDir), objectsIn(dataDir), person()]
    await vault.saveRecord(owner, 'profile', 'a')
    const backup = (await objects.get(`${owner}/record/profile`))!
    await vault.forget(owner)
    expect(await objects.list(owner)).toEqual([])
    await objects.put(`${owner}/record/profile`, backup)
    expect(await vault.loadRecord(owner, 'profile')).toBeUndefined()
  })

  test('a keyed hash is the same in every process and after a rotation, and differs in another vault', async () => {
    const dataDir = aFolder(base)
    const digests = await Promise.all([vaultIn(dataDir), vaultIn(dataDir)].map((one) => one.digest('ann')))
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(digests[1]).toBe(digests[0]!)
    await vaultIn(dataDir).rotate()
    expect(await vaultIn(dataDir).digest('ann')).toBe(digests[0]!)
    expect(await vaultIn(dataDir).digest('ann ')).not.toBe(digests[0]!)
    expect(await vaultIn(aFolder(base)).digest('ann')).not.toBe(digests[0]!)
  })
})

describe('forgetting an account', () => {
  test('destroys its keys and states and none of another account', async () => {
    const dataDir = aFolder(base)
    const [vault, objects] = [vaultIn(dataDir), objectsIn(dataDir)]
    const [account, other] = [anAccount(), anAccount()]
    const ref = await vault.save(account, 'photo', 'a')
    await vault.save(account, 'microblog', 'b')
    const keptRef = await vault.save(other, 'photo', 'c')
    expect(await vault.forget(account)).toEqual({ keys: 1, states: 2 })
    expect(await vault.load(account, 'photo', ref)).toBeUndefined()
    expect(await objects.list(account)).toEqual([])
    expect(await vault.load(other, 'photo', keptRef)).toBe('c')
    expect(await vault.forget(account)).toEqual({ keys: 0, states: 0 })
  })

  test('makes states unreadable at once in every process, even when they are restored from a backup', async () => {
    const dataDir = aFolder(base)
    const [vault, elsewhere, objects] = [vaultIn(dataDir), vaultIn(dataDir), objectsIn(dataDir)]
    const account = anAccount()
    const ref = await vault.save(account, 'photo', 'a')
    expect(await elsewhere.load(account, 'photo', ref)).toBe('a')
    const path = `${account}/state/photo/${ref}`
    const backup = (await objects.get(path))!
    await vault.forget(account)
    await objects.put(path, backup)
    expect(await elsewhere.load(account, 'photo', ref)).toBeUndefined()
    await elsewhere.replace(account, 'photo', ref, 'b')
    expect(await objects.list(`${account}/key/`)).toEqual([])
    // A new sign-in creates a new key, which does not open the restored state either.
    const next = await elsewhere.save(account, 'photo', 'c')
    expect(await vault.load(account, 'photo', next)).toBe('c')
    expect(await vault.load(account, 'photo', ref)).toBeUndefined()
  })
})

describe('the first data key of an account', () => {
  test('created concurrently by several processes, along with the key file, leaves all their states readable', async () => {
    const dataDir = aFolder(base)
    const account = anAccount()
    const script = new URL('./saving.ts', import.meta.url)
    const children = Array.from({ length: 4 }, () => startChild(script, [dataDir, account]))
    for (const child of children) expect((await child.lines.next()).value).toBe('ready')
    for (const child of children) child.process.stdin?.end('go\n')
    const said = (await Promise.all(children.map(allLines))).flat()
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    expect(said).toHaveLength(4)
    const vault = vaultIn(dataDir)
    for (const line of said) {
      const [ref = '', state] = line.split(' ')
      expect(await vault.load(account, 'photo', ref)).toBe(state)
    }
    expect(await vault.check()).toMatchObject({ owners: 1, outdated: 0, lost: [] })
  }, 60_000)

  test('that no vault key unwraps makes load, save and replace fail', async () => {
    const dataDir = aFolder(base)
    const account = anAccount()
    const right = { vaultKey: aVaultKey() }
    const ref = await vaultIn(dataDir, right).save(account, 'photo', 'a')
    const wrong = vaultIn(dataDir, { vaultKey: aVaultKey() })
    await expect(wrong.load(account, 'photo', ref)).rejects.toThrow(VaultLocked)
    await expect(wrong.save(account, 'photo', 'b')).rejects.toThrow(VaultLocked)
    const error = await wrong.replace(account, 'photo', ref, 'b').catch((error: Error) => error)
    expect(error).toBeInstanceOf(StoreUnavailable)
    for (const name of ['VAULT_KEY', 'VAULT_KEY_OLD', 'vault.key']) expect(error?.message).toContain(name)
    expect(error?.message).not.toContain(right.vaultKey)
    expect(await vaultIn(dataDir, right).load(account, 'photo', ref)).toBe('a')
    // A useless key next to a fitting one does no harm.
    const old = vaultIn(dataDir, { vaultKey: aVaultKey(), vaultKeyOld: right.vaultKey })
    expect(await old.load(account, 'photo', await old.save(account, 'photo', 'c'))).toBe('c')
  })
})
