import { describe, expect, test } from 'bun:test'
import { type Exchange, NoExchange, runTask, runTogether } from '../../src/plugin/testing.ts'
import {
  defineSource,
  defineTask,
  type FetchOptions,
  Nullable,
  Query,
  type SourceErrorCode,
  Type,
} from '../../src/plugin.ts'

/** A task that fetches one path and yields the response. */
const taskOf = (options: FetchOptions = {}, address = '/page') =>
  defineTask({
    key: 'site.read',
    path: '/v1/site/read',
    title: 'Read',
    description: 'One page.',
    price: 1,
    input: Type.Object({ query: Query() }),
    item: Type.Object({ text: Type.String(), url: Type.String() }),
    extra: { total: Nullable(Type.Integer()) },
    example: { query: 'a' },
    async *run(context, { query }) {
      yield { text: query, url: 'first' }
      const reply = await context.fetch(address, options)
      yield { text: await reply.text(), url: reply.url }
      return { next_cursor: null, total: 2 }
    },
  })
const source = defineSource({
  name: 'site',
  title: 'Site',
  origin: 'https://www.site.example',
  hosts: ['*.site.example'],
  interstitials: [{ url: /\/consent/, ends: 'source-blocked' }],
  tasks: [],
})
const run = (exchanges: Exchange[], options?: FetchOptions, address?: string) =>
  runTask(taskOf(options, address), { query: 'q' }, { source, exchanges })

test('runTask returns the items, the rest and the requests of a run', async () => {
  const outcome = await run([{ request: '/page?a=1', body: 'hello' }], { query: { a: 1, b: undefined } })
  expect(outcome.items[1]).toEqual({ text: 'hello', url: 'https://www.site.example/page?a=1' })
  expect(outcome.rest).toEqual({ next_cursor: null, total: 2 })
  expect(outcome.requests).toEqual([
    {
      method: 'GET',
      url: 'https://www.site.example/page?a=1',
      headers: { 'user-agent': 'Gleaner/test' },
      body: null,
    },
  ])
})

describe('a status ends the run like in the service, and keeps the yielded items', () => {
  test.each<[number, SourceErrorCode]>([
    [400, 'bad-input'],
    [401, 'source-blocked'],
    [403, 'source-blocked'],
    [404, 'not-found'],
    [410, 'not-found'],
    [429, 'source-rate-limited'],
    [500, 'source-unavailable'],
    [503, 'source-unavailable'],
  ])('%d: %s', async (status, code) => {
    const { error, items, rest } = await run([{ request: '/page', status }])
    expect(error?.code).toBe(code)
    expect(items.length).toBe(1)
    expect(rest).toEqual({ next_cursor: null, partial: true, total: null })
  })

  test('a temporary error is retried with the next exchange', async () => {
    const { error, requests } = await run([
      { request: '/page', status: 503 },
      { request: '/page', body: 'ok' },
    ])
    expect([error, requests.length]).toEqual([null, 2])
  })

  test('a persistent error is tried three times', async () => {
    const { error, requests } = await run([{ request: '/page', status: 503 }])
    expect([error?.code, requests.length]).toEqual(['source-unavailable', 3])
  })

  test('a status in accept is returned as an answer', async () => {
    const { items } = await run([{ request: '/page', status: 404, body: 'none' }], { accept: [404] })
    expect(items[1]?.text).toBe('none')
  })

  test('a body beyond maxBytes ends the run with response-too-large', async () => {
    const { error } = await run([{ request: '/page', body: 'x'.repeat(101) }], { maxBytes: 100 })
    expect(error?.code).toBe('response-too-large')
  })
})

describe('redirects', () => {
  const to = (location: string, status = 302): Exchange => ({
    request: '/page',
    status,
    headers: { location },
  })

  test('within the hosts are followed', async () => {
    const { items, requests } = await run([
      to('https://m.site.example/x'),
      { request: 'https://m.site.example/x', body: 'm' },
    ])
    expect(items[1]).toEqual({ text: 'm', url: 'https://m.site.example/x' })
    expect(requests.length).toBe(2)
  })

  test.each<[string, SourceErrorCode]>([
    ['https://other.example/', 'source-redirected'],
    ['http://127.0.0.1/', 'source-redirected'],
    ['https://www.site.example/consent?x', 'source-blocked'],
    ['https://elsewhere.example/consent', 'source-blocked'],
  ])('to %s end with %s and are not followed', async (location, code) => {
    const { error, requests } = await run([to(location)])
    expect([error?.code, requests.length]).toEqual([code, 1])
  })

  test.each([
    [301, 'GET', null],
    [302, 'GET', null],
    [303, 'GET', null],
    [307, 'POST', 'a=1'],
    [308, 'POST', 'a=1'],
  ] as const)('of %i turn a POST into %s', async (status, method, body) => {
    const exchanges = [
      { ...to('/moved', status), request: 'POST /page' },
      { request: `${method} /moved`, body: 'there' },
    ]
    const { items, requests } = await run(exchanges, { method: 'POST', body: 'a=1' })
    expect(items[1]).toEqual({ text: 'there', url: 'https://www.site.example/moved' })
    expect(requests[1]).toMatchObject({ method, body })
  })

  test('in accept are returned as the answer', async () => {
    const { items, requests } = await run([{ ...to('/moved'), body: 'see there' }], { accept: [302] })
    expect(items[1]).toEqual({ text: 'see there', url: 'https://www.site.example/page' })
    expect(requests.length).toBe(1)
  })

  test('without end are abandoned', async () => {
    const { error } = await run(Array.from({ length: 9 }, () => to('/page')))
    expect(error?.code).toBe('source-redirected')
  })
})

test('text is decoded by the header, by a meta element, or as UTF-8', async () => {
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9])
  const read = async (body: Uint8Array, type: string) =>
    (await run([{ request: '/page', body, headers: { 'content-type': type } }])).items[1]?.text
  expect(await read(latin, 'text/plain; charset=ISO-8859-1')).toBe('café')
  const meta = new TextEncoder().encode('<meta charset="windows-1252">')
  expect(await read(new Uint8Array([...meta, ...latin]), 'text/html')).toEndWith('café')
  expect(await read(new TextEncoder().encode('café'), 'text/html; charset=unheard-of')).toBe('café')
})

test('runTask throws on a foreign host, a missing exchange and a defect of the task', async () => {
  await expect(run([], {}, 'https://other.example/')).rejects.toThrow(
    'not a host of the source: other.example',
  )
  await expect(run([{ request: '/other' }])).rejects.toThrow(NoExchange)
  await expect(run([{ request: '/other' }])).rejects.toThrow('unused: /other')
  const defect = defineTask({
    ...taskOf(),
    async *run() {
      yield* []
      throw new RangeError('oops')
    },
  })
  await expect(runTask(defect, { query: 'q' }, { source })).rejects.toThrow('oops')
})

test('cookies of an answer are sent with the next request to their host', async () => {
  const task = defineTask({
    ...taskOf(),
    async *run(context) {
      for (const path of ['/first', '/second']) yield { text: path, url: (await context.fetch(path)).url }
      return { total: 2 }
    },
  })
  const { requests } = await runTask(
    task,
    { query: 'q' },
    { source, exchanges: [{ request: '/first', headers: { 'set-cookie': 'a=1' } }, { request: '/second' }] },
  )
  expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'a=1'])
})

test('runTask throws on a missing exchange even when the task catches the error', async () => {
  const task = defineTask({
    ...taskOf(),
    async *run(context) {
      yield {
        text: 'a',
        url: await context.fetch('/page').then(
          () => 'there',
          () => 'not there',
        ),
      }
      return { total: 1 }
    },
  })
  await expect(runTask(task, { query: 'q' }, { source })).rejects.toThrow(NoExchange)
})

test('runTask throws on an item or result that does not match its schema, and names the field', async () => {
  const item = defineTask({
    ...taskOf(),
    async *run() {
      yield { text: 7, url: 'x' } as never
      return undefined
    },
  })
  await expect(runTask(item, { query: 'q' }, { source })).rejects.toThrow(
    'an item does not match its schema: /text must be text',
  )
  const more = defineTask({
    ...taskOf(),
    async *run() {
      yield { text: 'a', url: 'x', more: 1 } as never
      return undefined
    },
  })
  await expect(runTask(more, { query: 'q' }, { source })).rejects.toThrow('/more is not a known field')
  const rest = defineTask({
    ...taskOf(),
    async *run() {
      yield* []
      return { total: 'two' } as never
    },
  })
  await expect(runTask(rest, { query: 'q' }, { source })).rejects.toThrow(
    'the result of site.read does not match its declaration',
  )
})

test('an invalid input yields issues and runs nothing', async () => {
  const { issues, requests } = await runTask(taskOf(), { query: '' }, { source })
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/query'])
  expect(requests).toEqual([])
})

test('a text that is written to an artifact fails the run, as in the service', async () => {
  const task = defineTask({
    ...taskOf(),
    // biome-ignore lint/correctness/useYield: it fails before
    async *run(context) {
      const file = await context.artifact('a.txt', 'text/plain')
      await file.write('one' as never)
      return { total: 0 }
    },
  })
  await expect(runTask(task, { query: 'q' }, { source, exchanges: [] })).rejects.toThrow(
    'encode text with TextEncoder',
  )
})

test('artifacts, progress, DOM parsing and POST bodies work like in the service', async () => {
  const task = defineTask({
    ...taskOf(),
    async *run(context) {
      const reply = await context.fetch('/api', { method: 'POST', body: '{"a":1}', headers: { 'x-a': 'b' } })
      const title = context.parse(await reply.text()).querySelector('h1')?.textContent
      context.progress(1, 2, 'pages read')
      const file = await context.artifact('a.txt', 'text/plain')
      await file.write(new TextEncoder().encode('one '))
      await file.write(new TextEncoder().encode('two'))
      await file.close()
      yield { text: title ?? '', url: context.origin }
      return { total: context.now() }
    },
  })
  const exchanges = [{ request: 'POST /api', sent: { a: 1 }, body: '<html><body><h1>Hi</h1></body></html>' }]
  const { items, files, progress, requests, rest } = await runTask(
    task,
    { query: 'q' },
    { source, exchanges, now: () => 7 },
  )
  expect(items).toEqual([{ text: 'Hi', url: 'https://www.site.example' }])
  expect(progress).toEqual([{ done: 1, total: 2, message: 'pages read' }])
  expect(new TextDecoder().decode(files[0]?.bytes)).toBe('one two')
  expect(requests[0]).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { 'x-a': 'b' } })
  expect(rest.total).toBe(7)
})

describe('runs at the same time', () => {
  /** A source whose task takes two steps and keeps its query between them. */
  const siteThatKeeps = (keep: () => { query: string }) => {
    const search = defineTask({
      key: 'site.search',
      path: '/v1/site/search',
      title: 'Search',
      description: 'Two pages.',
      price: 1,
      input: Type.Object({ query: Query() }),
      item: Type.Object({ text: Type.String() }),
      example: { query: 'a' },
      async *run(context, { query }) {
        const state = keep()
        state.query = query
        await context.fetch('/first')
        yield { text: state.query }
        return { next_cursor: null }
      },
    })
    return defineSource({ name: 'site', title: 'Site', origin: 'https://www.site.example', tasks: [search] })
  }
  const cassettes = ['desk', 'lamp', 'sofa'].map((query) => ({
    task: 'site.search',
    input: { query },
    exchanges: [{ request: '/first' }],
  }))

  test('runTogether finds nothing in a task that keeps its own values', async () => {
    const outcomes = await runTogether(
      siteThatKeeps(() => ({ query: '' })),
      cassettes,
    )
    for (const { alone, together } of outcomes) expect(together).toEqual([alone, alone])
    expect(outcomes.map(({ alone }) => alone.items)).toEqual(
      cassettes.map(({ input }) => [{ text: input.query }]),
    )
  })

  test('runTogether shows that a run writes to a module variable', async () => {
    const shared = { query: '' }
    const outcomes = await runTogether(
      siteThatKeeps(() => shared),
      cassettes,
    )
    const texts = outcomes.map(({ together }) => together.map(({ items }) => items[0]))
    expect(texts.flat()).toEqual(Array(6).fill({ text: 'sofa' }))
  })
})
