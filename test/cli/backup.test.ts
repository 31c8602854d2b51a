/** `gleaner backup` copies a data folder so that copying it back restores everything. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { aStream, someEvents } from '../../rigs/contract/events.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { pin } from '../../src/cli/backup/databases.ts'
import { readConfig } from '../../src/config.ts'
import { newRunId, type RunId, runStream } from '../../src/domain/ids.ts'
import { DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { openStores, type Stores } from '../../src/stores.ts'
import { type CommandLine, commandLine } from './command-line.ts'

const folder = temporaryFolder()
let line: CommandLine
let target: string
let backups = 0
beforeEach(async () => {
  line?.remove()
  line = await commandLine()
  target = join(folder, `backup-${backups++}`)
})
afterAll(() => line.remove())

const aRun = (): RunId => newRunId(Date.now(), randomBytes(10))
const HOUR_MS = 3_600_000
const opened = (dataDir: string): Promise<Stores> => openStores(readConfig({ DATA_DIR: dataDir }))
const backUp = () => line.gleaner(['backup', target])

/** Stores an artifact under a run that refers to it. @returns its ref */
async function anArtifact({ artifacts, log }: Stores, bytes: number): Promise<string> {
  const run = aRun()
  const { ref, done } = artifacts.put(run, 'result', randomBytes(bytes), Date.now() + HOUR_MS)
  await done
  const [event] = someEvents(1)
  const data = { ...event!.event.data, result_ref: ref }
  await log.append(runStream(run), 'no-stream', [{ ...event!, event: { ...event!.event, data } as never }])
  return ref
}

test('a backup beside open stores, copied into an empty folder, holds log, artifacts, vault and deliveries', async () => {
  const stores = await opened(line.folder)
  const refs = [await anArtifact(stores, 1000), await anArtifact(stores, 200_000)]
  await stores.vault.saveRecord(DEFAULT_ACCOUNT, 'record', 'secret')
  const { code, out, err } = await backUp()
  expect([code, err]).toEqual([0, expect.stringContaining('vault.key with your other secrets')])
  expect(out).toContain('log.db, vault.db, webhooks.db and 1 files')
  const later = await anArtifact(stores, 200_000)
  const before = (await stores.log.readAll(null, 100)).slice(0, -1)
  await stores.close()

  const restored = join(folder, 'restored')
  cpSync(target, restored, { recursive: true })
  cpSync(join(line.folder, 'vault.key'), join(restored, 'vault.key'))
  const copy = await opened(restored)
  expect(await copy.log.readAll(null, 100)).toEqual(before)
  expect(copy.log.id).not.toBe(stores.log.id)
  for (const ref of refs) expect(await copy.artifacts.get(ref)).toBeDefined()
  expect(await copy.artifacts.get(later)).toBeUndefined()
  expect(await copy.vault.loadRecord(DEFAULT_ACCOUNT, 'record')).toBe('secret')
  await copy.close()
})

test('a backup is readable by its owner alone, and holds no key of the vault and no unfinished file', async () => {
  const stores = await opened(line.folder)
  await stores.vault.saveRecord(DEFAULT_ACCOUNT, 'record', 'secret')
  await stores.close()
  await backUp()
  expect(statSync(target).mode & 0o777).toBe(0o700)
  expect(readdirSync(target).sort()).toEqual(['log.db', 'vault.db', 'webhooks.db'])
})

test('a backup shows log and vault as of one moment while both are written', async () => {
  const stores = await opened(line.folder)
  const stream = aStream()
  await stores.vault.saveRecord(DEFAULT_ACCOUNT, 'state_0', 'cookies')
  let writing = true
  const writer = (async () => {
    // As a login does: a newer state is written before its event, and the older one is deleted after it.
    for (let n = 0; writing; n++) {
      await stores.vault.saveRecord(DEFAULT_ACCOUNT, `state_${n}`, 'cookies')
      await stores.log.append(stream, n === 0 ? 'no-stream' : n - 1, someEvents(1))
      if (n > 0) await stores.vault.removeRecord(DEFAULT_ACCOUNT, `state_${n - 1}`)
    }
  })()
  for (let i = 0; i < 10; i++) {
    target = join(folder, `moment-${i}`)
    expect((await backUp()).code).toBe(0)
    cpSync(join(line.folder, 'vault.key'), join(target, 'vault.key'))
    const copy = await opened(target)
    const newest = (await copy.log.readStream(stream)).length - 1
    if (newest >= 0) expect(await copy.vault.loadRecord(DEFAULT_ACCOUNT, `state_${newest}`)).toBe('cookies')
    await copy.close()
  }
  writing = false
  await writer
  await stores.close()
})

test('a damaged database is named, and leaves nothing under the name of the backup', async () => {
  const stores = await opened(line.folder)
  for (let i = 0; i < 200; i++) await stores.log.append(aStream(), 'no-stream', someEvents(3))
  await stores.close()
  const file = await open(join(line.folder, 'log.db'), 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(8192, 'x'), 0, 8192, Math.floor(size / 8192) * 4096)
  await file.close()
  const { code, err } = await backUp()
  expect([code, err]).toEqual([1, expect.stringMatching(/log\.db is damaged: .*earlier backup/)])
  expect(existsSync(target)).toBe(false)
})

test('a file that the log refers to and that is missing or changed is named', async () => {
  const stores = await opened(line.folder)
  const missing = await anArtifact(stores, 200_000)
  const changed = await anArtifact(stores, 200_000)
  await stores.close()
  const fileOf = (ref: string) =>
    join(line.folder, 'artifacts', ref.slice(0, ref.indexOf('/')).slice(-2), ref)
  rmSync(fileOf(missing))
  writeFileSync(fileOf(changed), 'other')
  const { code, err } = await backUp()
  expect(code).toBe(0)
  expect(err).toContain(`${missing} is missing in DATA_DIR`)
  expect(err).toContain(`${changed} has other content than was stored in DATA_DIR`)
})

test('an existing folder, and one inside DATA_DIR, is refused; what an interrupted backup left is replaced', async () => {
  mkdirSync(`${target}.unfinished`)
  writeFileSync(join(`${target}.unfinished`, 'log.db'), 'half')
  expect((await backUp()).code).toBe(0)
  expect(await backUp()).toMatchObject({ code: 1, err: expect.stringContaining('exists') })
  target = join(line.folder, 'backup')
  expect(await backUp()).toMatchObject({ code: 1, err: expect.stringContaining('is in DATA_DIR') })
})

test('a log that never pauses ends the backup with advice, and one that pauses is copied', () => {
  const db = new DatabaseSync(':memory:')
  expect(() => pin([db], () => false)).toThrow(
    'Run the backup again when it has less to do, or stop the server',
  )
  expect(db.isTransaction).toBe(false)
  let looks = 0
  pin([db], () => ++looks === 1000)
  expect(db.isTransaction).toBe(true)
  db.close()
})
