/** The folder store with its own database: for a log that is stored elsewhere, also shared by several processes. */
import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Folder } from '../../src/artifacts/folder.ts'
import { openFolderArtifacts } from '../../src/artifacts/sqlite.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aRun, artifactsContract, type OpenedArtifacts, sweepAll } from './artifacts.ts'
import { storedItemsContract } from './stored-items.ts'

const base = temporaryFolder()
const DAY = 86_400_000

function openAt(at: string): OpenedArtifacts {
  const store: OpenedArtifacts = {
    now: Date.now(),
    artifacts: openFolderArtifacts({
      path: join(at, 'artifacts.db'),
      folder: join(at, 'artifacts'),
      now: () => store.now,
    }),
    close: () => store.artifacts.close(),
    reopen: async () => {
      await store.close()
      const again = openAt(at)
      store.close = again.close
      return again
    },
  }
  return store
}

function fresh(): string {
  const at = join(base, randomBytes(6).toString('hex'))
  mkdirSync(at)
  return at
}

const shared = fresh()
artifactsContract('a folder', async () => openAt(shared), base)
storedItemsContract('a folder', async () => openAt(shared))

describe('artifacts in a folder', () => {
  test('two processes share a folder: one reads the artifacts that the other stored before it was killed', async () => {
    const at = fresh()
    const child = startChild(new URL('./artifacts-child.ts', import.meta.url), [
      join(at, 'artifacts.db'),
      join(at, 'artifacts'),
      'own',
    ])
    const store = openAt(at)
    const ours: string[] = []
    const said: string[] = []
    for await (const line of child.lines) {
      said.push(line)
      const { ref, done } = store.artifacts.put(aRun(), 'input', randomBytes(100), store.now + DAY)
      await done
      ours.push(ref)
      await store.artifacts.sweep(store.now)
      if (said.length === 40) child.process.kill('SIGKILL')
    }
    expect(await child.ended).toBe('SIGKILL')
    const again = await store.reopen()
    for (const line of said) {
      const [ref, sha256] = line.split(' ')
      const body = await again.artifacts.get(ref!)
      expect(body && createHash('sha256').update(body).digest('hex')).toBe(sha256!)
    }
    for (const ref of ours) expect(await again.artifacts.get(ref)).toBeDefined()
    await again.close()
  })

  test('concurrent sweeps of two processes delete all expired artifacts', async () => {
    const at = fresh()
    const [one, other] = [openAt(at), openAt(at)]
    const puts = Array.from({ length: 300 }, (_, i) =>
      one.artifacts.put(aRun(), 'result', randomBytes(i % 50 ? 10 : 100_000), one.now + 1),
    )
    await Promise.all(puts.map(({ done }) => done))
    await Promise.all([one, other].map(({ artifacts }) => sweepAll(artifacts, one.now + 1)))
    for (const { ref } of puts) expect(await other.artifacts.get(ref)).toBeUndefined()
    await one.close()
    await other.close()
  })

  test('put after close fails as StoreUnavailable, and put before close is stored', async () => {
    const store = openAt(fresh())
    const before = store.artifacts.put(aRun(), 'input', 'x', store.now + DAY)
    await store.close()
    await before.done
    const { done } = store.artifacts.put(aRun(), 'input', 'y', store.now + DAY)
    await expect(done).rejects.toThrow(StoreUnavailable)
  })

  test('a file that cannot be stored leaves no temporary file behind', async () => {
    const at = fresh()
    const folder = new Folder(join(at, 'artifacts'))
    const run = aRun()
    const ref = `${run}/result-${'0'.repeat(32)}`
    // A folder that has the file's name makes the last step of storing it fail.
    mkdirSync(join(at, 'artifacts', run.slice(-2), ref), { recursive: true })
    const path = join(at, 'finished')
    writeFileSync(path, 'x')
    await expect(folder.write(ref, randomBytes(10))).rejects.toThrow()
    await expect(folder.moveIn(ref, path)).rejects.toThrow()
    expect(readdirSync(join(at, 'artifacts', 'tmp'))).toEqual([])
  })

  test('a file that cannot be moved in stays where it is, and can be moved in later', async () => {
    const at = fresh()
    const folder = new Folder(join(at, 'artifacts'))
    const run = aRun()
    const path = join(at, 'finished')
    writeFileSync(path, 'x')
    const blocking = join(at, 'artifacts', run.slice(-2))
    writeFileSync(blocking, '')
    const ref = `${run}/file-${'0'.repeat(32)}`
    await expect(folder.moveIn(ref, path)).rejects.toThrow()
    rmSync(blocking)
    await folder.moveIn(ref, path)
    expect(Buffer.from((await folder.read(ref))!).toString()).toBe('x')
    expect(existsSync(path)).toBe(false)
  })

  test('a folder that the system does not open is an unavailable store', async () => {
    const at = fresh()
    const folder = new Folder(join(at, 'artifacts'))
    const run = aRun()
    const ref = `${run}/result-${'0'.repeat(32)}`
    rmSync(join(at, 'artifacts', 'tmp'), { recursive: true })
    await expect(folder.write(ref, randomBytes(10))).rejects.toThrow(StoreUnavailable)
    writeFileSync(join(at, 'artifacts', run.slice(-2)), '')
    await expect(folder.read(ref)).rejects.toThrow(StoreUnavailable)
    await expect(folder.stream(ref, 0, 1)).rejects.toThrow(StoreUnavailable)
  })
})
