/**
 * Reports of a process about the files of its runs are verified, a run beyond a limit ends with its items, and a run's
 * lines in the log are limited.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const MB = 1024 * 1024

async function endOf(task: string, input: object, settings: Parameters<Stand['startWorker']>[0] = {}) {
  const account = await stand.openAccount(10)
  await stand.startWorker(settings)
  return stand.ended(await stand.request(account, `hostile.${task}`, input))
}

/** All files below a folder. */
const filesIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
    : []

/** Settings that hide nothing from the child: its plugins are in DATA_DIR. */
const allSeen = () => ({ pluginsDir: stand.folder })

describe('a file that does not belong to the run', () => {
  test.each([
    ['forges', {}],
    ['climbs', { path: '../../../secret.txt' }],
    ['links', { count: 1 }],
  ])('ends the run as a defect and stays untouched (%s)', async (task, input) => {
    const secret = join(stand.folder, 'secret.txt')
    writeFileSync(secret, 'of the service')
    const { path: text = secret, ...rest } = input as { path?: string }
    const ended = await endOf(task, { text, ...rest }, allSeen())
    expect(ended).toMatchObject({
      run_status: 'errored',
      error: { code: 'defect' },
      artifacts: [],
    })
    expect(readFileSync(secret, 'utf8')).toBe('of the service')
    expect(filesIn(join(stand.folder, 'artifacts'))).toEqual([])
  })

  test('ends the run as a defect when it is a hard link to a file of the service', async () => {
    const secret = join(stand.folder, 'secret.txt')
    writeFileSync(secret, 'of the service')
    const ended = await endOf('links', { text: secret, count: 2 }, allSeen())
    expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' }, artifacts: [] })
    expect(readFileSync(secret, 'utf8')).toBe('of the service')
  })

  test('stays where it is when a run that dies has replaced its folder by a link', async () => {
    const secrets = join(stand.folder, 'secrets')
    mkdirSync(secrets)
    writeFileSync(join(secrets, 'secret.txt'), 'of the service')
    const ended = await endOf('links-folder', { text: secrets }, allSeen())
    expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' }, artifacts: [] })
    expect(readFileSync(join(secrets, 'secret.txt'), 'utf8')).toBe('of the service')
  })
})

test('a file that the store does not take for a while is stored when the store is back', async () => {
  const putFile = stand.artifacts.putFile.bind(stand.artifacts)
  let failures = 3
  Object.assign(stand.artifacts, {
    putFile: async (...args: Parameters<typeof putFile>) => {
      if (failures-- > 0) throw new StoreUnavailable('away')
      return putFile(...args)
    },
  })
  const ended = await endOf('writes-much', { count: 1 })
  expect(ended).toMatchObject({ run_status: 'succeeded', artifacts: [{ bytes: MB }] })
  expect(failures).toBe(-1)
})

test('a file is kept as long as the result, however early in the run it was stored', async () => {
  const long = await openStand({ runLimitS: 3000 })
  const putFile = long.artifacts.putFile.bind(long.artifacts)
  Object.assign(long.artifacts, {
    putFile: async (...args: Parameters<typeof putFile>) => {
      const stored = await putFile(...args)
      long.clock.offset += 1_800_000
      return stored
    },
  })
  await long.startWorker({ leaseS: 3600 })
  const id = await long.request(await long.openAccount(), 'hostile.writes-much', { count: 1 })
  const { finished_at, artifacts } = await long.ended(id)
  expect(artifacts).toMatchObject([{ bytes: MB }])
  long.clock.offset = Date.parse(finished_at) + 30 * 86_400_000 - 60_000 - Date.now()
  while ((await long.artifacts.sweep(long.now())) > 0);
  const [file] = (await long.runOf(id)).files
  expect(await long.artifacts.open(file!.ref)).toMatchObject({ bytes: MB })
  await long.close()
})

describe('a run whose files exceed the limit', () => {
  test('fails with its items when it closes a file', async () => {
    const ended = await endOf('writes-much', { count: 3 }, { runFilesLimitMb: 2 })
    expect(ended).toMatchObject({
      run_status: 'failed',
      error: { code: 'response-too-large' },
      credits: { charged: 1, refunded: 1 },
      artifacts: [],
      result: { items: [{ n: 1 }], partial: true },
    })
    expect(ended.error.detail).toBe(
      'The files of the run are larger than the 2 MB that this service allows for one run.',
    )
  })

  test('fails while it is writing and leaves no file on the disk', async () => {
    const ended = await endOf('writes-much', { count: 3, text: 'stays' }, { runFilesLimitMb: 2 })
    expect(ended).toMatchObject({ run_status: 'failed', error: { code: 'response-too-large' } })
    while (filesIn(join(stand.folder, 'work')).length > 0) await new Promise((go) => setTimeout(go, 5))
    expect(filesIn(join(stand.folder, 'artifacts'))).toEqual([])
  })

  test('does not exist if only the files of a start that was discarded make it larger', async () => {
    const ended = await endOf('writes-much', { count: 2, text: 'again' }, { runFilesLimitMb: 2 })
    expect(ended).toMatchObject({ run_status: 'succeeded', artifacts: [{ bytes: 2 * MB }] })
  })

  test('does not exist if the files are as large as the limit', async () => {
    const ended = await endOf('writes-much', { count: 2 }, { runFilesLimitMb: 2 })
    expect(ended).toMatchObject({ run_status: 'succeeded', artifacts: [{ bytes: 2 * MB }] })
  })
})

test('a run that writes files ends when less disk space is free than the required minimum', async () => {
  const ended = await endOf('writes-much', { count: 1, text: 'stays' }, { diskFreeMinMb: 2 ** 40 })
  expect(ended).toMatchObject({
    run_status: 'failed',
    error: {
      code: 'response-too-large',
      detail: 'This service has too little free disk space for the files of the run.',
    },
    result: { items: [{ n: 1 }], partial: true },
  })
})

test('a run without files succeeds even with too little free disk space', async () => {
  const ended = await endOf('remembers', {}, { diskFreeMinMb: 2 ** 40 })
  expect(ended).toMatchObject({ run_status: 'succeeded' })
})

test.each(['logs-much', 'forges-lines'])(
  'a run that logs without end adds at most 1,000 lines to the log of the service (%s)',
  async (task) => {
    const lines: string[] = []
    await stand.close()
    stand = await openStand({ logger: pino({}, { write: (line: string) => void lines.push(line) }) })
    expect(await endOf(task, { count: 3000 })).toMatchObject({ run_status: 'succeeded' })
    expect(lines.filter((line) => line.includes('again'))).toHaveLength(1000)
  },
)
