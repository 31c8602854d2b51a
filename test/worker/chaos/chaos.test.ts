/**
 * No run harms another: beside one that does all it can, in the same process, 31 runs of four accounts end with the
 * right items, one charge and attempt 1. The bad run ends with its code, and the service goes on answering.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../rigs/servers/processes.ts'
import { belowOf } from '../../browser/processes.ts'
import { type Crowd, openCrowd } from './crowd.ts'

const isDeno = 'deno' in process.versions
const onBun = test.skipIf(isDeno)
const LIMIT_MS = 120_000
const DEFECT = { run_status: 'errored', error: { code: 'defect' }, credits: { charged: 1, refunded: 1 } }
const OUT_OF_MEMORY = { ...DEFECT, error: { code: 'out-of-memory' } }
const SUCCEEDED = { run_status: 'succeeded', error: null, credits: { charged: 1, refunded: 0 } }

let crowd: Crowd
beforeEach(async () => {
  crowd = await openCrowd()
})
afterEach(() => crowd.close(), 30_000)

/** @param times how often the good runs are executed */
async function survives(how: string, end: object, times: 1 | 2, task = 'bad') {
  const { id } = await crowd.beginBad(how, task)
  const ended = await crowd.answersUntil(crowd.stand.ended(id))
  expect(ended).toMatchObject({ ...end, attempt: 1 })
  crowd.site.open()
  await crowd.expectGood(times)
  return { id, ended }
}

describe('31 good runs are executed again, and end as if alone, beside a run that', () => {
  test.each([
    ['throws in a timer', 'throws', DEFECT],
    ['rejects on the side', 'rejects', DEFECT],
    ['exits', 'exits', DEFECT],
    ['loops for ever', 'loops', DEFECT],
    ['eats memory in steps', 'steps', OUT_OF_MEMORY],
    ['eats memory at once', 'gulps', OUT_OF_MEMORY],
  ])(
    '%s',
    async (_, how, end) => {
      await survives(how, end, 2)
    },
    LIMIT_MS,
  )

  onBun.each([
    ['floods the service with messages', 'floods'],
    ['speaks for a run that does not exist', 'forges'],
  ])(
    '%s',
    async (_, how) => {
      await survives(how, DEFECT, 2)
    },
    LIMIT_MS,
  )
})

test('a run whose process is killed from outside is executed again at once, though it was alone there', async () => {
  const { stand, site } = crowd
  const { id } = await crowd.beginGood('first')
  await until(() => site.waiting.includes('first'))
  for (const { pid, command } of belowOf(process.pid))
    if (command.includes('process/child/main.ts')) process.kill(pid, 'SIGKILL')
  expect(await stand.ended(id)).toMatchObject({ ...SUCCEEDED, credits: { charged: 6 }, attempt: 1 })
  await crowd.expectGood(2)
})

describe('31 good runs go on beside a run that', () => {
  test('floods the log', async () => {
    const { id } = await survives('logs', SUCCEEDED, 1)
    expect(crowd.lines.filter(({ run_id, msg }) => run_id === id && msg === 'again and again')).toHaveLength(
      1000,
    )
  })

  test('floods its output', async () => {
    await survives('prints', SUCCEEDED, 1)
  })

  test('has no way to speak for itself or for others', async () => {
    const { ended } = await survives('speaks', SUCCEEDED, 1)
    expect(ended.result.items[1]).toEqual({ said: 'undefined undefined' })
  })

  onBun('speaks for a run that has ended', async () => {
    const { stand, site } = crowd
    const first = await crowd.beginGood('first')
    await until(() => site.waiting.includes('first'))
    site.letGo('first')
    const before = await stand.ended(first.id)
    await survives('haunts', SUCCEEDED, 1)
    expect(await stand.ended(first.id)).toEqual(before)
    expect(crowd.lines.filter(({ msg }) => msg === 'forged')).toEqual([])
  })

  test('writes into the folders of the others', async () => {
    await survives('scribbles', SUCCEEDED, 1)
  })

  test('replaces its folder by a link to a folder of the service', async () => {
    await survives('links', DEFECT, 1)
    expect(readdirSync(crowd.secrets)).toEqual(['secret.txt'])
    expect(readFileSync(join(crowd.secrets, 'secret.txt'), 'utf8')).toBe('of the service')
  })

  test('holds a thousand sockets', async () => {
    await survives('connects', SUCCEEDED, 1)
  })

  test('goes on after its time limit', async () => {
    const expired = { run_status: 'expired', error: { code: 'run-limit' } }
    await survives('ignores', expired, 1, 'short')
    await crowd.isGone('draining')
  })
})
