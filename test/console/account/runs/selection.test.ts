/** What is done with several runs at once: it happens once for each form, and its outcome is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cancelledText } from '../../../../src/console/account/runs/selection.ts'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

const path = (end: string) => `${house.own}/runs${end}`
const text = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const types = async (type: string) => (await house.types()).filter((each) => each === type).length
const key = () => crypto.randomUUID()
let runs: string[]
beforeEach(async () => {
  runs = [
    await startRun(ann, house, 'one'),
    await startRun(ann, house, 'two'),
    await startRun(ann, house, 'three'),
  ]
})
const finishAll = async () => {
  for (const run of runs) await house.service.finish(run, { items: [{ id: run }] })
}

describe('run again', () => {
  test('asks first, with the price of all', async () => {
    await finishAll()
    const before = await types('RunRequested')
    const page = await ann.get(`${path('/again')}?run=${runs[0]}&run=${runs[1]}&list=status%3Dsucceeded`)
    expect(text(page)).toContain('Run 2 again for 2 credits')
    expect(page).toContain(`href="${house.own}/runs?status=succeeded">Back to the list</a>`)
    expect(await types('RunRequested')).toBe(before)
  })
  test('starts each run once, however often the form is sent, with its input and title', async () => {
    await finishAll()
    const fields = { run: runs, idempotency_key: key() }
    const before = await types('RunRequested')
    const [one, two] = await Promise.all([ann.post(path('/again'), fields), ann.post(path('/again'), fields)])
    expect([to(one!), to(two!)]).toEqual([path(''), path('')])
    expect(await types('RunRequested')).toBe(before + 3)
    const page = await ann.get(path(''))
    expect(text(page)).toContain('3 runs were started.')
    expect(page.split('class="run-title">three<').length - 1).toBeGreaterThan(1)
    expect(text(await ann.get(path('')))).not.toContain('were started')
  })
  test('says which runs could not be started, and why', async () => {
    const { accounts } = house.service.deps
    const { balance } = await accounts.state(house.accountId)
    const cause = { correlationId: 'test', causationId: 'test', now: Date.now(), accountId: house.accountId }
    const left = { type: 'grant', accountId: house.accountId, amount: 2 - balance, note: null } as never
    await accounts.handle(left, cause)
    const page = text(await ann.submit(path('/again'), { run: runs, idempotency_key: key() }))
    await accounts.handle(
      { type: 'grant', accountId: house.accountId, amount: balance, note: null } as never,
      cause,
    )
    expect(page).toContain('2 runs were started. 1 could not be started:')
    expect(page).toMatch(/Search · three : .*credit/)
  })
  test('leaves out runs of other accounts, and unknown ones', async () => {
    const other = await house.service.openAccount()
    const answer = await house.service.post('/v1/sample/search', other.key, { query: 'theirs' })
    const { run_id } = (await answer.json()) as { run_id: string }
    const page = text(await ann.get(`${path('/again')}?run=${run_id}&run=${runs[0]}&run=nonsense`))
    expect(page).toContain('Run it again for 1 credit')
    expect(page).not.toContain('theirs')
  })
})

test('cancel ends those that have not ended, and tells both numbers', async () => {
  await house.service.finish(runs[0]!)
  const page = text(await ann.submit(path('/cancel'), { run: runs, list: 'status=cancelled' }))
  expect(page).toContain('2 runs are being cancelled. 1 run had already ended.')
  expect(page).toContain('Filters (1)')
})

test.each([
  [0, 1, 'No run was cancelled: the selected run had already ended.'],
  [0, 3, 'No run was cancelled: the selected runs had already ended.'],
  [1, 0, '1 run is being cancelled.'],
  [2, 2, '2 runs are being cancelled. 2 runs had already ended.'],
])('%d cancelled, %d before: %s', (now, before, expected) =>
  expect(cancelledText(now, before)).toBe(expected),
)

test('download is one line for each item, with its run', async () => {
  await finishAll()
  const answer = await ann.send(`${path('/download')}?run=${runs[0]}&run=${runs[2]}`)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="runs.ndjson"')
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toEqual(
    [runs[0], runs[2]].map((run) => ({ run_id: run, task_key: 'sample.search', item: { id: run } })),
  )
})

test('nothing selected is said, and too much is refused', async () => {
  for (const send of [
    () => ann.post(path('/cancel')),
    () => ann.send(path('/again')),
    () => ann.send(path('/download')),
  ])
    expect(text(await ann.get(to(await send())))).toContain('Select at least one run first.')
  const many = Array.from({ length: 51 }, (_, i) => `run_${String(i).padStart(26, '0')}`)
  expect((await ann.post(path('/cancel'), { run: many })).status).toBe(400)
})

test('a viewer can download, and nothing else', async () => {
  const viewer = await house.joins('viewer', 'Vic')
  const list = await viewer.get(path(''))
  expect(list).toContain('Download items')
  expect(list).not.toContain('Run again')
  expect((await viewer.post(path('/cancel'), { run: runs })).status).toBe(403)
  expect((await viewer.post(path('/again'), { run: runs })).status).toBe(403)
})
