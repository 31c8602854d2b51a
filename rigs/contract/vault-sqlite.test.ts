import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { openSqliteVault } from '../../src/vault/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aKey, vaultObjectsContract } from './vault-objects.ts'

const base = temporaryFolder()
let files = 0
const aPath = () => join(base, `vault-${files++}.db`)
const openAt = (path: string) => openSqliteVault({ path, now: Date.now })

const shared = aPath()
vaultObjectsContract('SQLite', async () => openAt(shared))

/** All files of a vault: the database and its journals. */
const filesOf = (path: string) =>
  readdirSync(base)
    .sort()
    .map((name) => join(base, name))
    .filter((file) => file.startsWith(path))

/** Whether a piece of the body is found in one of the files. A body is split over pages, so pieces are searched. */
const isInFiles = (path: string, body: Buffer): boolean => {
  // As texts: searching bytes in bytes is slow on Deno.
  const contents = filesOf(path).map((file) => readFileSync(file, 'latin1'))
  const text = body.toString('latin1')
  for (let at = 0; at + 32 <= text.length; at += 64) {
    if (contents.some((content) => content.includes(text.slice(at, at + 32)))) return true
  }
  return false
}

describe('the SQLite file of the vault', () => {
  test.each([100, 3000, 500_000])(
    'holds no piece of a deleted object of %d bytes, nor does a file beside it, while it is open',
    async (bytes) => {
      const path = aPath()
      const vault = openAt(path)
      const [key, body] = [aKey(), randomBytes(bytes)]
      await vault.put(key, body)
      for (let i = 0; i < 5; i++) await vault.put(aKey(), randomBytes(1000))
      expect(isInFiles(path, body)).toBe(true)
      await vault.delete(key)
      expect(isInFiles(path, body)).toBe(false)
      await vault.close()
    },
  )

  test.each(['put', 'replace'] as const)('holds no piece of an object that a %s overwrote', async (how) => {
    const path = aPath()
    const vault = openAt(path)
    for (const [before, after] of [
      [200_000, 100],
      [100, 200_000],
      [3000, 3000],
    ] as const) {
      const [key, body] = [aKey(), randomBytes(before)]
      await vault.put(key, body)
      expect(isInFiles(path, body)).toBe(true)
      await vault[how](key, randomBytes(after))
      expect(isInFiles(path, body)).toBe(false)
    }
    await vault.close()
  })

  test('a delete fails with StoreUnavailable while a reader holds the deleted pages', async () => {
    const path = aPath()
    const vault = openAt(path)
    const [key, body] = [aKey(), randomBytes(3000)]
    await vault.put(key, body)
    const reader = new DatabaseSync(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM objects').get()
    await expect(vault.delete(key)).rejects.toThrow(StoreUnavailable)
    reader.exec('COMMIT')
    reader.close()
    await vault.delete(key)
    expect(isInFiles(path, body)).toBe(false)
    await vault.close()
  }, 60_000)

  test('the journal of a killed process is rolled back and removed by the next start', async () => {
    const path = aPath()
    const vault = openAt(path)
    const [key, body] = [aKey(), randomBytes(3000)]
    await vault.put(key, body)
    await vault.close()
    const script = `
      const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)})
      db.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; PRAGMA secure_delete = ON; BEGIN; DELETE FROM objects')
      db.prepare('INSERT INTO objects VALUES (?, 0, zeroblob(1000000))').run('x')
      process.kill(process.pid, 'SIGKILL')`
    expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL')
    expect(filesOf(path)).toEqual([path, `${path}-journal`])
    const again = openAt(path)
    expect(Buffer.compare((await again.get(key)) ?? Buffer.of(), body)).toBe(0)
    await again.delete(key)
    expect(filesOf(path)).toEqual([path])
    expect(isInFiles(path, body)).toBe(false)
    await again.close()
  })

  test('has mode 0600, and so have the files beside it', async () => {
    const path = aPath()
    const vault = openAt(path)
    await vault.put(aKey(), randomBytes(10))
    const files = filesOf(path)
    for (const file of files) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
    await vault.close()
  })

  test('refuses writes with StoreUnavailable after it was deleted while open', async () => {
    const path = aPath()
    const vault = openAt(path)
    rmSync(path)
    await expect(vault.put(aKey(), randomBytes(10))).rejects.toThrow(StoreUnavailable)
    await vault.close()
  })
})
