import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Commits, type Disk } from '../../src/sqlite/commits.ts'
import { openDatabase } from '../../src/sqlite/open.ts'

const folder = temporaryFolder()

function opened(name: string, disk?: Disk) {
  const path = join(folder, `${name}.db`)
  const db = openDatabase(path)
  db.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)')
  const insert = db.prepare('INSERT INTO numbers VALUES (?)')
  const hooks = { unavailable: (error: unknown) => error as Error }
  const commits = new Commits(db, path, hooks, disk)
  const written = () => new DatabaseSync(path).prepare('SELECT n FROM numbers').all().length
  return { commits, write: (n: number) => commits.write(() => insert.run(n)), written }
}

/** A disk whose syncs the test completes. */
function slowDisk() {
  const syncs: ((answer: Error | null) => void)[] = []
  const disk = { sync: () => new Promise<Error | null>((go) => syncs.push(go)), close: () => {} }
  return { disk, syncs }
}

const turn = () => new Promise((go) => setImmediate(go))
/** Resolves when the disk has got this many syncs. */
const until = async (syncs: readonly unknown[], times: number) => {
  while (syncs.length < times) await turn()
}

test('a write resolves when its transaction is synced to disk, and not before', async () => {
  const { disk, syncs } = slowDisk()
  const { commits, write, written } = opened('slow', disk)
  let answered = false
  const first = write(1).then(() => {
    answered = true
  })
  await until(syncs, 1)
  expect(written()).toBe(1)
  expect(commits.settled).toBeInstanceOf(Promise)
  await turn()
  expect(answered).toBe(false)
  syncs[0]?.(null)
  await first
  expect(commits.settled).toBeUndefined()
})

test('writes that arrive during a sync share the next transaction', async () => {
  const { disk, syncs } = slowDisk()
  const { write, written } = opened('shared', disk)
  const first = write(1)
  await until(syncs, 1)
  const others = [write(2), write(3), write(4)]
  await turn()
  expect([syncs.length, written()]).toEqual([1, 1])
  syncs[0]?.(null)
  await first
  await until(syncs, 2)
  expect(written()).toBe(4)
  syncs[1]?.(null)
  await Promise.all(others)
  expect(syncs).toHaveLength(2)
})

test('a failed sync fails the pending writes and all later ones', async () => {
  const { disk, syncs } = slowDisk()
  const { write, written } = opened('failing', disk)
  const first = write(1)
  await until(syncs, 1)
  const both = Promise.allSettled([first, write(2)])
  syncs[0]?.(new Error('EIO'))
  const reasons = (await both).map((outcome) => String(outcome.status === 'rejected' && outcome.reason))
  expect(reasons).toEqual(Array(2).fill('Error: the disk failed; restart the service when it is repaired'))
  await expect(write(3)).rejects.toThrow('restart the service')
  expect(written()).toBe(1)
  expect(syncs).toHaveLength(1)
})

test('close completes the pending writes and refuses later ones', async () => {
  const { commits, write, written } = opened('closed')
  const writes = [write(1), write(2)]
  await turn()
  writes.push(write(3))
  await commits.close()
  await Promise.all(writes)
  expect(written()).toBe(3)
  await expect(write(4)).rejects.toThrow('closed')
})
