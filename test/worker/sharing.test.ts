/**
 * Short runs that wait behind each other in one child: none of them notices what another one does.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ChildPool } from '../../src/worker/child-pool.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { quiet } from './quiet.ts'

const folder = temporaryFolder()
const module = new URL('./plugins/faults/source.ts', import.meta.url).href
const options = {
  userAgent: 'Gleaner/test',
  origins: new Map<string, string>(),
  proxyUrl: null,
  chromiumPath: null,
}
let pool: ChildPool
let runs = 0

beforeEach(async () => {
  pool = new ChildPool({ size: 2, ...options }, quiet)
  pool.start()
  await untilShort()
})
afterEach(() => pool.stop())

function begin(count: number, text = '', hear: () => void = () => {}) {
  const runId = `run_${runs++}`
  const input = JSON.stringify({ count, text })
  const until = Date.now() + 60_000
  return pool.execute({
    job: { runId, module, taskKey: 'faults.moody', input, until, folder: join(folder, runId) },
    memoryMb: 512,
    source: { name: 'faults', origin: 'https://faults.example' },
    fresh: false,
    hear,
  })
}

/** Executes as many as it takes until the pool knows how short they are. */
async function untilShort() {
  do await begin(0).ended
  while (!pool.mayShare('faults.moody'))
}

const expectShort = async (executions: readonly ReturnType<typeof begin>[]) => {
  for (const [n, { ended }] of executions.entries())
    expect(await ended).toMatchObject({ kind: 'end', end: { status: 'succeeded' }, text: `{"n":${n}}` })
}
const six = () => Array.from({ length: 6 }, (_, n) => begin(n))

describe('short runs behind another one', () => {
  test('bring each its own, and need no second child', async () => {
    await expectShort(six())
    expect(pool.count).toBe(1)
  })

  test('go elsewhere when it takes longer after all', async () => {
    const long = begin(7, 'wait')
    await expectShort(six())
    long.abort()
    expect(await long.ended).toMatchObject({ kind: 'end', end: { status: 'stopped' } })
  })

  test('come no more once it takes longer, until the task is known to be short again', async () => {
    expect([pool.mayShare('faults.moody'), pool.mayShare('faults.unknown')]).toEqual([true, false])
    const long = begin(7, 'wait')
    await expectShort(six())
    expect(pool.mayShare('faults.moody')).toBe(false)
    long.abort()
    await long.ended
    await untilShort()
  })

  test('go elsewhere when it is in an endless loop, which may begin again alone', async () => {
    const loop = begin(7, 'loop')
    await expectShort(six())
    expect(await loop.ended).toMatchObject({ kind: 'died', cause: 'crowded' })
  })

  test('go elsewhere when it ends its process', async () => {
    const exit = begin(7, 'exit')
    await expectShort(six())
    expect(await exit.ended).toMatchObject({ kind: 'died', cause: 'defect', fresh: false })
  })

  test('may be given up before they begin, one of them or all', async () => {
    const long = begin(7, 'wait')
    const [first, second, ...others] = six()
    first?.kill('somebody changed his mind')
    second?.abort()
    expect(await first?.ended).toMatchObject({ kind: 'died', cause: 'killed' })
    expect(await second?.ended).not.toMatchObject({ end: { status: 'succeeded' } })
    for (const { ended } of others) expect(await ended).toMatchObject({ end: { status: 'succeeded' } })
    long.abort()
    expect(await long.ended).toMatchObject({ kind: 'end' })
    const left = [begin(7, 'wait'), ...six()]
    await pool.stop()
    for (const { ended } of left) await ended
    pool = new ChildPool({ size: 1, ...options }, quiet)
  })
})
