/** The items of a run in each format. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { csvRow } from '../../src/plugin/csv-row.ts'
import { encodeResult } from '../../src/runs/result.ts'
import { Collected } from '../../src/worker/collected.ts'
import { type Client, type Service, startService } from './service.ts'

let service: Service
let client: Client
let run: string
const ITEMS = [
  { id: '1', title: 'a "quoted", one', tags: ['x', 'y'], price: -5.5 },
  { id: '=1+1', title: null, tags: [], price: null },
  { id: 'ä\u2028', title: 'two\nlines', tags: ['"'], price: 0 },
]
beforeAll(async () => {
  service = await startService()
  client = await service.openAccount()
  run = await kickoff()
  await service.finish(run, { items: ITEMS })
})
afterAll(() => service.close())

const kickoff = async () =>
  (await service.post('/v1/sample/search', client.key, { query: 'x' })).headers.get('run-id')!
const items = (id: string, format?: string) =>
  service.send(`/v1/runs/${id}/items${format === undefined ? '' : `?format=${format}`}`, { key: client.key })

describe('formats', () => {
  test('json is a bare array, and the default', async () => {
    for (const answer of [await items(run), await items(run, 'json')]) {
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(await answer.json()).toEqual(ITEMS)
    }
  })

  test('ndjson ends every line with a newline', async () => {
    const answer = await items(run, 'ndjson')
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const text = await answer.text()
    expect(text).toEndWith('\n')
    const lines = text.slice(0, -1).split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(ITEMS)
  })

  test('csv has the columns of the schema, nested values as JSON, null as empty, and escaped formulas', async () => {
    const answer = await items(run, 'csv')
    expect(answer.headers.get('content-type')).toStartWith('text/csv; charset=utf-8')
    expect(await answer.text()).toBe(
      'id,title,tags,price\r\n' +
        '1,"a ""quoted"", one","[""x"",""y""]",-5.5\r\n' +
        "'=1+1,,[],\r\n" +
        'ä\u2028,"two\nlines","[""\\""""]",0\r\n',
    )
  })

  test('csv begins with a byte order mark if a spreadsheet needs one', async () => {
    const bytes = await (await items(run, 'csv&bom=1')).bytes()
    expect([...bytes.subarray(0, 5)]).toEqual([0xef, 0xbb, 0xbf, 0x69, 0x64])
    expect([...(await (await items(run, 'csv&bom=0')).bytes()).subarray(0, 2)]).toEqual([0x69, 0x64])
    expect((await items(run, 'json&bom=1')).status).toBe(422)
    expect((await items(run, 'csv&bom=2')).status).toBe(422)
  })

  test('a run without a result has no items', async () => {
    const queued = await kickoff()
    expect(await (await items(queued)).text()).toBe('[]')
    expect(await (await items(queued, 'ndjson')).text()).toBe('')
    expect(await (await items(queued, 'csv')).text()).toBe('id,title,tags,price\r\n')
    await service.finish(queued, { status: 'failed', code: 'not-found' })
    const answer = await items(queued)
    expect([answer.status, await answer.text()]).toEqual([200, '[]'])
  })

  test('an unknown format is 422 and names the known formats', async () => {
    for (const format of ['xml', '', 'JSON']) {
      const answer = await items(run, format)
      expect(answer.status).toBe(422)
      expect(((await answer.json()) as { detail: string }).detail).toContain('ndjson')
    }
  })
})

test('csvRow escapes every text that a spreadsheet reads as a formula, and nothing else', () => {
  for (const char of ['=', '+', '-', '@', '＝', '＋', '－', '＠'])
    expect(csvRow([`${char}x`])).toBe(`'${char}x\r\n`)
  for (const char of ['\t', '\r', '\n']) expect(csvRow([`${char}x`])).toBe(`"'${char}x"\r\n`)
  expect(csvRow(['=a,b', '="x"'])).toBe(`"'=a,b","'=""x"""\r\n`)
  expect(csvRow(['a=b', -1, 1e21, true, false, '', null, undefined, { a: 1 }])).toBe(
    'a=b,-1,1e+21,true,false,,,,"{""a"":1}"\r\n',
  )
})

test('csvRow quotes a text with a semicolon or a tab, where a spreadsheet would begin another cell', () => {
  expect(csvRow(['a;=1+1', 'b\t=1+1', 'c'])).toBe('"a;=1+1","b\t=1+1",c\r\n')
})

describe('a run that works', () => {
  const FIRST = { id: '1', title: 'so far', tags: ['x'], price: 1 }
  /** A run, and what its worker has collected. */
  async function working() {
    const id = await kickoff()
    const { runId, accountId, attempt } = await service.start(id)
    const collected = new Collected()
    const shared = service.stores.liveItems.share({ runId, accountId, attempt }, collected)
    const add = (...some: object[]) =>
      collected.add({ text: some.map((item) => JSON.stringify(item)).join(), count: some.length })
    return { id, collected, shared, add }
  }

  test('has its items so far in each format, which are not final, and all of them at its end', async () => {
    const { id, add } = await working()
    const before = await items(id)
    expect([before.headers.get('items-final'), await before.json()]).toEqual(['false', []])
    add(FIRST)
    expect(await (await items(id, 'json')).json()).toEqual([FIRST])
    expect(await (await items(id, 'ndjson')).text()).toBe(`${JSON.stringify(FIRST)}\n`)
    expect(await (await items(id, 'csv')).text()).toBe('id,title,tags,price\r\n1,so far,"[""x""]",1\r\n')
    await service.finish(id, { items: ITEMS })
    const after = await items(id)
    expect([after.headers.get('items-final'), await after.json()]).toEqual(['true', ITEMS])
  })

  test('may start over: then it has its new items alone', async () => {
    const { id, collected, add } = await working()
    add(FIRST, FIRST)
    collected.clear()
    add({ ...FIRST, id: 'again' })
    expect(await (await items(id)).json()).toMatchObject([{ id: 'again' }])
  })

  test('has no items before its first attempt, and none of an earlier attempt', async () => {
    const queued = await items(await kickoff())
    expect([queued.status, queued.headers.get('items-final'), await queued.json()]).toEqual([
      200,
      'false',
      [],
    ])
    const { id, add } = await working()
    add(FIRST)
    const run = await service.runOf(id)
    service.stores.liveItems.share({ ...run, attempt: 2 }, new Collected())
    expect(await (await items(id)).json()).toEqual([])
  })

  test('shows another account nothing, with the same answer as for an unknown run', async () => {
    const { id, add } = await working()
    add(FIRST)
    const other = await service.openAccount()
    const unknown = id.replace(/.{4}$/, '0000')
    const [foreign, none] = await Promise.all(
      [id, unknown].map((run) => service.send(`/v1/runs/${run}/items`, { key: other.key })),
    )
    expect([foreign!.status, none!.status]).toEqual([404, 404])
    const body = async (answer: Response) => ({
      ...((await answer.json()) as object),
      request_id: '',
      instance: '',
    })
    expect(await body(foreign!)).toEqual(await body(none!))
  })
})

test('forged counts and texts of a process reach the reader of its own run, and break no answer', async () => {
  const id = await kickoff()
  const run = await service.start(id)
  const forged = [
    { text: '{"id":"1"},{"id":"2"}', count: 1_000_000 },
    { text: '{"id":', count: 1 },
    { text: ']}","', count: 3 },
    { text: '{"id":"3"}', count: 1 },
  ]
  const batches = forged.map(({ text, count }) => ({ text: Buffer.from(text), count }))
  const body = encodeResult({ detail: null, files: [] }, { items: batches, rest: '{"next_cursor":null}' })
  const { done, ref, bytes, sha256 } = service.stores.artifacts.put(
    run.runId,
    'result',
    body,
    Date.now() + 60_000,
  )
  await done
  const item_count = 1_000_005
  const result = { ref, bytes, sha256, item_count, partial: false }
  await service.deps.commands.handle(
    run.runId,
    { type: 'finish', attempt: run.attempt, end: { status: 'succeeded', code: null, result } },
    { causationId: 'test', now: Date.now() },
  )
  const ended = await service.runOf(id)
  const page = await service.deps.runs.itemsPage(ended, 0, 50)
  expect(page).toMatchObject({ items: [{ id: '1' }, { id: '2' }, ...Array(page.items.length - 2).fill({})] })
  expect(await service.deps.runs.resultRest(ended)).toEqual({ next_cursor: null })
  for (const format of ['json', 'ndjson', 'csv']) {
    const answer = await items(id, format)
    expect(answer.status).toBe(200)
    await answer.text()
  }
})
