import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { runStream } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { aRun, artifactsContract, type OpenedArtifacts, sweepAll } from './artifacts.ts'
import { anEvent } from './events.ts'
import { storedItemsContract } from './stored-items.ts'

const base = temporaryFolder()
const DAY = 86_400_000

function openAt(path: string, folder: string): OpenedArtifacts {
  const log = openSqliteLog(path)
  const store: OpenedArtifacts = {
    now: Date.now(),
    artifacts: openSqliteArtifacts({ log, folder, now: () => store.now }),
    close: async () => {
      await store.artifacts.close()
      await log.close()
    },
    reopen: async () => {
      await store.close()
      const again = openAt(path, folder)
      store.close = again.close
      return again
    },
  }
  return store
}

const shared = join(base, 'shared')
mkdirSync(shared)
artifactsContract('SQLite', async () => openAt(join(shared, 'log.db'), join(shared, 'artifacts')), base)
storedItemsContract('SQLite', async () => openAt(join(shared, 'log.db'), join(shared, 'artifacts')))

describe('SQLite artifacts', () => {
  const fresh = () => {
    const at = join(base, randomBytes(6).toString('hex'))
    mkdirSync(at)
    return { file: join(at, 'log.db'), folder: join(at, 'artifacts') }
  }
  const files = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

  test('a small value and the event that names it share one commit', async () => {
    const { file, folder } = fresh()
    let commits = 0
    const log = openSqliteLog(file, { onCommit: () => commits++ })
    const artifacts = openSqliteArtifacts({ log, folder, now: Date.now })
    const run = aRun()
    const { ref, done } = artifacts.put(run, 'input', 'x', Date.now() + DAY)
    await log.append(runStream(run), 'no-stream', [anEvent()], { after: [done] })
    expect(commits).toBe(1)
    expect(await artifacts.get(ref)).toBeDefined()
    expect(files(folder)).toEqual([])
    await artifacts.close()
    await log.close()
  })

  test('an event is not written when the file of its artifact could not be written', async () => {
    const { file, folder } = fresh()
    const log = openSqliteLog(file)
    const artifacts = openSqliteArtifacts({ log, folder, now: Date.now })
    const run = aRun()
    // A file blocks the path of the run's folder.
    writeFileSync(join(folder, run.slice(-2)), '')
    const { done } = artifacts.put(run, 'input', randomBytes(100_000), Date.now() + DAY)
    const append = log.append(runStream(run), 'no-stream', [anEvent()], { after: [done] })
    await expect(append).rejects.toThrow()
    await expect(done).rejects.toThrow()
    expect(await log.readStream(runStream(run))).toEqual([])
    await artifacts.close()
    await log.close()
  })

  test('a sweep deletes the files of expired artifacts and the emptied folders', async () => {
    const { file, folder } = fresh()
    const store = openAt(file, folder)
    const { ref, done } = store.artifacts.put(aRun(), 'result', randomBytes(100_000), store.now + 1)
    await done
    expect(files(folder)).toHaveLength(1)
    expect(await sweepAll(store.artifacts, store.now + 1)).toBe(1)
    expect(files(folder)).toEqual([])
    expect(existsSync(join(folder, ref.slice(28, 30), ref.slice(0, 30)))).toBe(false)
    await store.close()
  })

  test('sweeps delete unfinished files once they are a day old, and no others', async () => {
    const { file, folder } = fresh()
    const store = openAt(file, folder)
    const { ref, done } = store.artifacts.put(aRun(), 'result', randomBytes(100_000), store.now + 9 * DAY)
    await done
    const [left, young] = ['old', 'young'].map((name) => join(folder, 'tmp', name)) as [string, string]
    for (const path of [left, young]) writeFileSync(path, 'x')
    const old = (store.now - DAY) / 1000 - 60
    utimesSync(left, old, old)
    expect(await store.artifacts.sweep(store.now)).toBe(1)
    expect([left, young].map(existsSync)).toEqual([false, true])
    expect(await store.artifacts.get(ref)).toBeDefined()
    await store.close()
  })

  test('after a crash between the row and its file, the artifact does not exist and its row is swept', async () => {
    const { file, folder } = fresh()
    const store = openAt(file, folder)
    const { ref, done } = store.artifacts.put(aRun(), 'result', randomBytes(100_000), store.now + DAY)
    await done
    rmSync(join(folder, ref.slice(28, 30)), { recursive: true })
    expect(await store.artifacts.get(ref)).toBeUndefined()
    expect(await store.artifacts.open(ref)).toBeUndefined()
    expect(await sweepAll(store.artifacts, store.now + DAY + 1)).toBe(1)
    await store.close()
  })

  test('an old file that is moved in is not taken for an unfinished one', async () => {
    const { file, folder } = fresh()
    const store = openAt(file, folder)
    const path = join(base, 'long')
    writeFileSync(path, 'x')
    utimesSync(path, 1, 1)
    const { ref } = await store.artifacts.putFile(aRun(), 'file', path, store.now + DAY)
    const placed = files(folder)[0]!
    expect(Date.now() - statSync(join(placed.parentPath, placed.name)).mtimeMs).toBeLessThan(DAY / 2)
    expect(await store.artifacts.get(ref)).toBeDefined()
    await store.close()
  })

  test('every artifact reported as durable is readable after kill -9', async () => {
    const { file, folder } = fresh()
    const child = startChild(new URL('./artifacts-child.ts', import.meta.url), [file, folder])
    const said: string[] = []
    for await (const line of child.lines) {
      said.push(line)
      if (said.length === 40) child.process.kill('SIGKILL')
    }
    expect(await child.ended).toBe('SIGKILL')
    const store = openAt(file, folder)
    for (const line of said) {
      const [ref, sha256] = line.split(' ')
      const body = await store.artifacts.get(ref!)
      expect(body && createHash('sha256').update(body).digest('hex')).toBe(sha256!)
    }
    await store.close()
  })
})
