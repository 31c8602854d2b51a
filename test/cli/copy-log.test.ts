/**
 * `gleaner copy-log` copies everything in DATA_DIR to the event store and the artifact store.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aStream, someEvents } from '../../rigs/contract/events.ts'
import { type EventStore, startEventStore } from '../../rigs/servers/eventstore/server.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { readConfig } from '../../src/config.ts'
import { newAccountId, newRunId, type RunId } from '../../src/domain/ids.ts'
import { openStores } from '../../src/stores.ts'
import { testBucketUrl } from '../artifacts/s3.ts'
import { type CommandLine, commandLine } from './command-line.ts'

const VAULT_KEY = `${'A'.repeat(43)}=`
/** Required beside EVENTSTORE_URL; nothing connects to it. */
const REDIS_URL = 'redis://127.0.0.1:1'
const folder = temporaryFolder()
const s3Url = await testBucketUrl(folder)
let line: CommandLine
let store: EventStore
beforeAll(async () => {
  line = await commandLine()
  store = await startEventStore()
})
afterAll(async () => {
  line.remove()
  await store.stop()
})

const aRun = (): RunId => newRunId(Date.now(), randomBytes(10))

/** Fills the embedded stores with events and artifacts: inline ones, one in the folder, a file, an expired one. */
async function fill(dataDir: string): Promise<{ events: number; refs: Map<string, Buffer> }> {
  const stores = await openStores(readConfig({ DATA_DIR: dataDir }))
  const refs = new Map<string, Buffer>()
  const later = Date.now() + 86_400_000
  for (const bytes of [10, 1000, 200_000]) {
    const body = randomBytes(bytes)
    const { ref, done } = stores.artifacts.put(aRun(), 'result', body, later)
    await done
    refs.set(ref, body)
  }
  const path = join(dataDir, 'a-file')
  const content = randomBytes(300_000)
  writeFileSync(path, content)
  refs.set((await stores.artifacts.putFile(aRun(), 'file', path, later)).ref, content)
  await stores.artifacts.put(aRun(), 'input', 'expired', Date.now() - 1).done
  for (let i = 0; i < 10; i++) await stores.log.append(aStream(), 'no-stream', someEvents(3))
  const events = await stores.log.head()
  await stores.close()
  return { events: Number(events), refs }
}

test.each([
  ['the artifact store', { S3_URL: s3Url }],
  ['a folder', {}],
])('copy-log copies log and artifacts to the event store and %s; a second run adds none', async (_, env) => {
  await store.stop()
  store = await startEventStore()
  const { events, refs } = await fill(line.folder)
  const target = { EVENTSTORE_URL: store.url, REDIS_URL, VAULT_KEY, ...env }
  const first = await line.gleaner('copy-log', { env: target })
  expect([first.code, first.err.replaceAll(/[^\n]*\r/g, '')]).toEqual([0, expect.any(String)])
  const [, all = '', added, hash] =
    /(\d+) events, (\d+) of them new, SHA-256 ([0-9a-f]{64})/.exec(first.out) ?? []
  expect([all, added]).toEqual([String(events), String(events)])
  const again = await line.gleaner('copy-log', { env: target })
  expect(again.out).toContain(`${all} events, 0 of them new, SHA-256 ${hash}`)

  const from = await openStores(readConfig({ DATA_DIR: line.folder }))
  const to = await openStores(readConfig({ DATA_DIR: line.folder, ...target }))
  const idsIn = async ({ log }: typeof to) => (await log.readAll(null, 10_000)).map(({ id }) => id)
  expect(await idsIn(to)).toEqual(await idsIn(from))
  expect(to.log.id).not.toBe(from.log.id)
  for (const [ref, body] of refs) {
    for (const { artifacts } of [from, to]) {
      const copied = await artifacts.get(ref)
      expect([ref, copied && Buffer.compare(copied, body)]).toEqual([ref, 0])
    }
  }
  await from.close()
  await to.close()
})

test('copy-log copies saved logins to the object store, their keys wrapped with VAULT_KEY instead of the key file', async () => {
  await store.stop()
  store = await startEventStore()
  await fill(line.folder)
  const account = newAccountId(Date.now(), randomBytes(10))
  const from = await openStores(readConfig({ DATA_DIR: line.folder }))
  const ref = await from.vault.save(account, 'photo', '{"cookies":[]}')
  await from.close()
  const target = {
    EVENTSTORE_URL: store.url,
    REDIS_URL,
    VAULT_KEY,
    S3_URL: await testBucketUrl(join(folder, 'logins')),
  }
  const { code, out } = await line.gleaner('copy-log', { env: target })
  expect([code, out.split('\n').at(-2)]).toEqual([0, '1 saved logins'])
  await line.gleaner('copy-log', { env: target })
  // A machine with the same settings and without the key file.
  const to = await openStores(readConfig({ DATA_DIR: join(folder, 'elsewhere'), ...target }))
  expect(await to.vault.load(account, 'photo', ref)).toBe('{"cookies":[]}')
  expect(await to.vault.check()).toEqual({ owners: 1, keys: 1, outdated: 0, lost: [] })
  await to.close()
})

test('without an object store, copy-log leaves saved logins in DATA_DIR, and they also open with VAULT_KEY set', async () => {
  await store.stop()
  store = await startEventStore()
  await fill(line.folder)
  const account = newAccountId(Date.now(), randomBytes(10))
  const from = await openStores(readConfig({ DATA_DIR: line.folder }))
  const ref = await from.vault.save(account, 'photo', '{"cookies":[]}')
  const target = { EVENTSTORE_URL: store.url, REDIS_URL, VAULT_KEY }
  expect((await line.gleaner('copy-log', { env: target })).out).toContain('saved logins stay in DATA_DIR')
  // Also for the server that is still running.
  expect(await from.vault.load(account, 'photo', ref)).toBe('{"cookies":[]}')
  await from.close()
  const to = await openStores(readConfig({ DATA_DIR: line.folder, ...target }))
  expect(await to.vault.load(account, 'photo', ref)).toBe('{"cookies":[]}')
  await to.close()
})

test('copy-log leaves an event store that holds other events unchanged', async () => {
  await fill(line.folder)
  const other = await startEventStore()
  const target = { EVENTSTORE_URL: other.url, REDIS_URL, VAULT_KEY }
  const stores = await openStores(readConfig({ DATA_DIR: join(folder, 'other'), ...target }))
  await stores.log.append(aStream(), 'no-stream', someEvents(1))
  const { code, err } = await line.gleaner('copy-log', { env: target })
  expect(code).toBe(1)
  expect(err).toContain('holds other events')
  expect(await stores.log.readAll(null, 10)).toHaveLength(1)
  await stores.close()
  await other.stop()
})

test('copy-log reports a missing EVENTSTORE_URL or a missing log', async () => {
  expect((await line.gleaner('copy-log')).err).toContain('EVENTSTORE_URL must name the log to copy to')
  const target = { EVENTSTORE_URL: store.url, REDIS_URL, VAULT_KEY, DATA_DIR: join(folder, 'empty') }
  expect((await line.gleaner('copy-log', { env: target })).err).toContain('has no log to copy')
})
