/** The list of runs over HTTP: what a row says, filters, search, pages both ways, and how large it gets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

const list = (query = '', who = ann) => who.get(`${house.own}/runs${query}`)
const rows = (page: string): string[] => page.split('<tr id="row-').slice(1)
const ids = (page: string): string[] => rows(page).map((row) => row.slice(0, row.indexOf('"')))
const text = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const link = (page: string, label: string): string =>
  new RegExp(`href="([^"]+)"[^>]*>${label}</a>`).exec(page)![1]!.replaceAll('&#38;', '&')

describe('a row', () => {
  test('has the titles of task and run, the state, the result, who, and when with the absolute time', async () => {
    const run = await startRun(ann, house, 'desk lamp')
    await house.service.finish(run, { items: [{ id: '1' }] })
    const row = rows(await list()).find((each) => each.startsWith(run))!
    expect(text(row)).toContain('Search · desk lamp succeeded 1 item')
    expect(row).toContain('<bdi class="run-title">desk lamp</bdi>')
    expect(text(row)).toMatch(/Ann just now \( \d{4}-\d\d-\d\d [\d:]+ UTC \) 1 credit /)
    expect(row).toMatch(/<time datetime="[^"]+" title="[^"]+ UTC" data-ago="\d+">just now/)
  })
  test('says why a run failed, in the words of the console, and since when one runs', async () => {
    const failed = await startRun(ann, house, 'lost')
    await house.service.finish(failed, { status: 'failed', code: 'not-found' })
    const working = await startRun(ann, house, 'slow')
    await house.service.start(working)
    const page = await list()
    expect(rows(page).find((each) => each.startsWith(failed))).toContain('does not have it.')
    expect(rows(page).find((each) => each.startsWith(working))).toMatch(/data-elapsed="\d+">1 s</)
  })
  test('shows a hostile title as text, isolated from the words around it', async () => {
    await startRun(ann, house, '<script>alert(1)</script>"\u202e&')
    const page = await list()
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('<bdi class="run-title">&#60;script&#62;alert(1)&#60;/script&#62;')
  })
  test('of a run by a key names the key, and the list can be filtered by it, or by me', async () => {
    const key = await house.service.newKey(house.accountId, ['runs'])
    const answer = await house.service.post('/v1/sample/search', key, { query: 'by key' })
    const { run_id } = (await answer.json()) as { run_id: string }
    const page = await list()
    expect(text(rows(page).find((each) => each.startsWith(run_id))!)).toMatch(/key gln_\w+…/)
    const keyId = /<option value="(key_\w+)"/.exec(page)![1]!
    expect(ids(await list(`?by=${keyId}`))).toEqual([run_id])
    const mine = ids(await list('?by=me'))
    expect(mine.length).toBeGreaterThan(2)
    expect(mine).not.toContain(run_id)
  })
})

describe('filters', () => {
  test('of several states are one list, and the number of its runs is told', async () => {
    const failed = await startRun(ann, house, 'two states')
    await house.service.finish(failed, { status: 'failed', code: 'bad-input' })
    const errored = await startRun(ann, house, 'two states')
    await house.service.finish(errored, { status: 'errored', code: 'defect' })
    const page = await list('?status=failed&status=errored')
    expect(ids(page).slice(0, 2)).toEqual([errored, failed])
    expect(text(page)).toContain(`${ids(page).length} runs match.`)
    expect(page).toMatch(/value="failed" checked/)
    expect(page).toMatch(/value="queued">/)
  })
  test('that match nothing offer to be cleared', async () => {
    const page = await list('?from=2020-01-01&to=2020-01-02')
    expect(text(page)).toContain('No run matches.')
    expect(page).toContain(`href="${house.own}/runs">Clear the filters</a>`)
    expect(page).not.toContain('Start a run')
  })
  test('an id, and the start of one, lead to the run', async () => {
    const run = await startRun(ann, house, 'by id')
    expect(to(await ann.send(`${house.own}/runs?q=${run}`))).toBe(`${house.own}/runs/${run}`)
    expect(to(await ann.send(`${house.own}/runs?q=${run.slice(0, 20).toUpperCase()}`))).toBe(
      `${house.own}/runs/${run}`,
    )
  })
  test('an id of another account leads nowhere', async () => {
    const other = await house.service.openAccount()
    const answer = await house.service.post('/v1/sample/search', other.key, { query: 'elsewhere' })
    const { run_id } = (await answer.json()) as { run_id: string }
    expect(text(await list(`?q=${run_id}`))).toContain('No run matches.')
    expect(text(await list('?q=elsewhere'))).toContain('No run matches.')
  })
  test('words of a title find it without case, and the page says how far it looked', async () => {
    const run = await startRun(ann, house, 'Velvet SOFA')
    const page = await list('?q=sofa+velvet')
    expect(ids(page)).toEqual([run])
    expect(text(page)).toMatch(/1 match among \d+ runs, back to /)
  })
})

describe('a long list', () => {
  const count = 1000
  let other: House
  let eve: Visitor
  let all: string[]
  beforeAll(async () => {
    other = await startHouse()
    eve = await other.setUp()
    all = []
    const { admit } = other.service.deps
    for (let n = 0; n < count; n++) {
      const admitted = await admit.admit({
        accountId: other.accountId,
        keyId: null,
        actor: 'service',
        taskKey: 'sample.search',
        price: 0,
        input: `{"query":"${n}"}`,
        title: `${n} ${'wide words '.repeat(9)}`.slice(0, 100),
        runLimitS: 60,
        failedOnly: false,
        idempotencyKey: undefined,
        requestId: 'test',
      })
      if (admitted.kind === 'admitted') all.push(admitted.run.runId)
    }
    all.reverse()
  })
  afterAll(() => other.close())
  const get = (query: string) => eve.get(`${other.own}/runs${query}`)

  test('is paged in both directions, without a gap or a repeat', async () => {
    const first = await get('')
    expect(ids(first)).toEqual(all.slice(0, 50))
    expect(first).not.toContain('>Newer</a>')
    const second = await eve.get(link(first, 'Older'))
    const third = await eve.get(link(second, 'Older'))
    expect([...ids(second), ...ids(third)]).toEqual(all.slice(50, 150))
    expect(ids(await eve.get(link(third, 'Newer')))).toEqual(all.slice(50, 100))
    expect(ids(await eve.get(link(second, 'Newer')))).toEqual(all.slice(0, 50))
    expect(ids(await eve.get(link(third, 'Newest')))).toEqual(all.slice(0, 50))
  })
  test('says how many there are, exactly up to 1,000', async () => {
    expect(text(await get(''))).toContain('1,000 runs.')
    await startRun(eve, other, 'one more')
    expect(text(await get(''))).toContain('More than 1,000 runs.')
  })
  test('stays below 200 kB and 100 ms a page', async () => {
    await get('')
    const before = performance.now()
    const page = await get('?status=queued&status=failed&from=2020-01-01')
    expect(performance.now() - before).toBeLessThan(100)
    expect(page.length).toBeLessThan(200_000)
  })
  test('is searched in parts: "Older" looks further', async () => {
    const page = await get('?q=zero')
    expect(text(page)).toContain('0 matches among 500 runs')
    expect(text(page)).toContain('No match so far.')
    expect(text(page)).toContain('“Older” looks further.')
    const older = await eve.get(link(page, 'Older'))
    expect(text(older)).toMatch(/0 matches among 500 runs, back to/)
    const last = await eve.get(link(older, 'Older'))
    expect(text(last)).toContain('No older run matches.')
    const newer = await eve.get(link(last, 'Newer'))
    expect(text(newer)).toMatch(/0 matches among 500 runs, up to .* “Newer” looks further\./)
    expect(text(await eve.get(link(newer, 'Older')))).toContain('No older run matches.')
  })
  test('is one CSV, as it is filtered', async () => {
    const answer = await eve.send(`${other.own}/runs/csv?status=queued`)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="runs.csv"')
    const lines = (await answer.text()).trim().split('\r\n')
    expect(lines).toHaveLength(count + 2)
    expect(lines[0]).toContain('run_id,task_key,task,title,state')
    expect(lines[2]).toContain(`${all[0]},sample.search,Search,999 wide`)
  })
})

test('a day is found among runs of other days, by the position of its first and last run', async () => {
  const other = await startHouse()
  await other.setUp()
  const { clock } = other.service
  const runs: string[][] = []
  const start = Date.parse('2031-03-01T12:00:00Z') - Date.now()
  for (let day = 0; day < 9; day++) {
    clock.offset = start + day * 86_400_000
    const kim = await other.joins('member', `Kim${day}`)
    runs.push([])
    for (let n = 0; n < day % 3; n++) runs[day]!.push(await startRun(kim, other, `day ${day} ${n}`))
  }
  const kay = await other.joins('member', 'Kay')
  const found = async (query: string) => ids(await kay.get(`${other.own}/runs?${query}`))
  for (let day = 0; day < 9; day++) {
    const date = `2031-03-0${day + 1}`
    expect(await found(`from=${date}&to=${date}`)).toEqual(runs[day]!.toReversed())
    expect(await found(`to=${date}`)).toEqual(
      runs
        .slice(0, day + 1)
        .flat()
        .toReversed(),
    )
    expect(await found(`from=${date}`)).toEqual(runs.slice(day).flat().toReversed())
  }
  await other.close()
})
