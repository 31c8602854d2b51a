/** The client's handling of answers that a healthy service does not give. */
import { describe, expect, spyOn, test } from 'bun:test'
import {
  Gleaner,
  GleanerError,
  type GleanerOptions,
  LoginRequired,
  RunFailed,
} from '../../../clients/typescript/src/index.ts'
import { answer, broken, problem, run, type Step, scripted, silent } from './scripted.ts'

const APIKEY = 'gln_secretsecret_123456'

async function at(steps: readonly Step[], options: Partial<GleanerOptions> = {}) {
  const service = await scripted(...steps)
  return { ...service, gleaner: new Gleaner({ url: service.url, apiKey: APIKEY, ...options }) }
}
const ACCOUNT = answer(200, { balance: 1 })
const TOLD = { query: 'otter' }

/** The error of a rejected call. */
const errorOf = (call: Promise<unknown>): Promise<GleanerError> =>
  call.then(
    () => Promise.reject(new Error('there was no error')),
    (error) => error,
  )

/**
 * Runs calls without a connection and without waiting for timers.
 *
 * @param answers in order; an error stands for a failed connection
 * @returns the requested delays, in milliseconds
 */
async function delaysOf(
  answers: readonly (Response | Error)[],
  act: (gleaner: Gleaner, requests: readonly Request[]) => Promise<unknown>,
): Promise<number[]> {
  const requests: Request[] = []
  const fake = async (url: string, init: RequestInit) => {
    requests.push(new Request(url, { ...init, signal: null }))
    const next = answers[requests.length - 1] ?? new Error('nobody asked for that')
    if (next instanceof Error) throw next
    return next
  }
  const delays: number[] = []
  const real = globalThis.setTimeout
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation(((go: () => void, ms: number) => {
    // The client's timeouts are not delays; it clears them.
    if (ms >= TIMEOUT_MS) return real(go, ms)
    delays.push(ms)
    return real(go, 0)
  }) as typeof setTimeout)
  try {
    await act(
      new Gleaner({ url: 'http://gleaner', apiKey: APIKEY, fetch: fake, timeoutS: TIMEOUT_MS / 1000 }),
      requests,
    )
  } finally {
    spy.mockRestore()
  }
  return delays
}
const TIMEOUT_MS = 77_000
const refused = (status: number, body: object, headers: HeadersInit = {}) =>
  Response.json({ detail: 'because', ...body }, { status, headers })

describe('an idempotent call', () => {
  test('is retried after the seconds that the service asks for, with the same Idempotency-Key', async () => {
    const answers = [
      refused(429, { code: 'rate-limited', retry_after_s: 7 }, { 'retry-after': '7' }),
      refused(503, { code: 'store-unavailable' }, { 'retry-after': '2' }),
      refused(409, { code: 'idempotency-in-progress', retry_after_s: 1 }),
      Response.json(run('queued'), { status: 202 }),
    ]
    const delays = await delaysOf(answers, async (gleaner, requests) => {
      await gleaner.start('encyclopedia.search', TOLD)
      const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
      for (const request of requests) expect(await request.text()).toBe('{"query":"otter"}')
    })
    expect(delays).toEqual([7000, 2000, 1000])
  })

  test('has a new Idempotency-Key each time, or the given one', async () => {
    using service = await at([answer(202, run('queued'))])
    for (const options of [{}, {}, { idempotencyKey: 'mine' }])
      await service.gleaner.start('encyclopedia.search', TOLD, options)
    const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
    expect([new Set(keys).size, keys[2]]).toEqual([3, 'mine'])
  })

  test('has the title of its options, and none by default', async () => {
    using service = await at([answer(202, run('queued'))])
    for (const options of [{}, { title: 'Otters of the week' }])
      await service.gleaner.start('encyclopedia.search', TOLD, options)
    const bodies = service.requests.map(({ body }) => JSON.parse(body))
    expect(bodies).toEqual([TOLD, { ...TOLD, _run: { title: 'Otters of the week' } }])
  })

  test('is retried with growing delays when the connection breaks', async () => {
    const answers = [...Array(8).fill(new TypeError('fetch failed')), Response.json({ balance: 1 })]
    const delays = await delaysOf(answers, (gleaner) => gleaner.account.get())
    const bounds = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]
    expect(delays.map((ms, i) => ms / (bounds[i] ?? 0)).map((part) => part >= 0.5 && part <= 1)).toEqual(
      bounds.map(() => true),
    )
  })

  test('is retried when the connection breaks within the answer', async () => {
    using service = await at([broken(200, '{"balance"'), ACCOUNT])
    expect(await service.gleaner.account.get()).toEqual({ balance: 1 } as never)
  })

  test('is retried with growing delays when the service or a proxy asks for none', async () => {
    const answers = [
      ...[1, 2, 3, 4].map(() => new Response('busy', { status: 503, headers: { 'retry-after': '0' } })),
      Response.json({ balance: 1 }),
    ]
    const delays = await delaysOf(answers, (gleaner) => gleaner.account.get())
    expect(delays.map((ms, i) => ms >= 125 * 2 ** i && ms <= 250 * 2 ** i)).toEqual(Array(4).fill(true))
  })

  test('is not retried when the service asks to wait for longer than retryForS', async () => {
    using service = await at([problem(429, 'rate-limited', { retry_after_s: 61 })])
    const error = await errorOf(service.gleaner.account.get())
    expect([error.code, error.retry_after_s, service.requests.length]).toEqual(['rate-limited', 61, 1])
  })

  test('fails with the last error once retryForS has passed, and 0 means no retry', async () => {
    using service = await at([broken()], { retryForS: 0 })
    expect((await errorOf(service.gleaner.account.get())).code).toBe('connection-failed')
    expect(service.requests).toHaveLength(1)
    using patient = await at([broken()], { retryForS: 0.3 })
    expect((await errorOf(patient.gleaner.account.get())).code).toBe('connection-failed')
    expect(patient.requests.length).toBeGreaterThan(1)
  })

  test('ends with the reason when it is aborted between retries', async () => {
    using service = await at([problem(429, 'rate-limited', { retry_after_s: 50 })])
    const call = service.gleaner.account.get({ signal: AbortSignal.timeout(30) })
    expect((await errorOf(call)).name).toBe('TimeoutError')
  })

  test('ends with the reason when it is aborted while the service is silent', async () => {
    using service = await at([silent], { retryForS: 0 })
    const call = service.gleaner.account.get({ signal: AbortSignal.timeout(30) })
    expect((await errorOf(call)).name).toBe('TimeoutError')
  })

  test('asks a function for the API key before each attempt', async () => {
    const keys = ['gln_old', 'gln_new']
    using service = await at([broken(), ACCOUNT], { apiKey: async () => keys.shift() ?? '' })
    await service.gleaner.account.get()
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer gln_old',
      'Bearer gln_new',
    ])
  })
})

test('the items so far of a run that works are read at once', async () => {
  using service = await at([answer(200, run('running')), answer(200, [{ n: 1 }])])
  const working = await service.gleaner.runs.get('run_1')
  expect(await working.itemsSoFar()).toEqual([{ n: 1 }] as never)
  expect(service.requests.map(({ url }) => url)).toEqual(['/v1/runs/run_1', '/v1/runs/run_1/items'])
})

test('a run from a list says how many items it has, and reads them when they are asked for', async () => {
  const listed = run('succeeded', { items: 2, result: null })
  const whole = run('succeeded', { items: 2, result: { items: [{ n: 1 }, { n: 2 }], next_cursor: null } })
  using service = await at([answer(200, { runs: [listed], next_cursor: null }), answer(200, whole)])
  for await (const each of service.gleaner.runs.list()) {
    expect([each.item_count, each.result]).toEqual([2, null])
    const items = await Array.fromAsync(each.items() as AsyncIterable<unknown>)
    expect(items).toEqual([{ n: 1 }, { n: 2 }])
  }
})

describe.each<[string, (gleaner: Gleaner, options?: { idempotencyKey: string }) => Promise<unknown>]>([
  ['keys.create', (gleaner, options) => gleaner.keys.create({}, options)],
  ['webhooks.create', (gleaner, options) => gleaner.webhooks.create({ url: 'https://x' }, options)],
  ['logins.start', (gleaner, options) => gleaner.logins.start('microblog', options)],
  ['operator.openAccount', (gleaner, options) => gleaner.operator.openAccount({ name: 'x' }, options)],
])('%s', (_, create) => {
  test('is retried with its Idempotency-Key, also when its effect is unknown, so that nothing is created twice', async () => {
    const answers = [
      new TypeError('fetch failed'),
      refused(503, { code: 'store-unavailable' }),
      refused(429, { code: 'rate-limited' }),
      Response.json({}, { status: 201 }),
    ]
    await delaysOf(answers, async (gleaner, requests) => {
      await create(gleaner)
      const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
      expect([keys.length, new Set(keys).size]).toEqual([4, 1])
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    })
  })

  test('has a new Idempotency-Key each time, or that of its options, which its error names', async () => {
    using service = await at([answer(201, {}), answer(201, {}), problem(403, 'account-suspended')])
    await create(service.gleaner)
    await create(service.gleaner)
    const error = await errorOf(create(service.gleaner, { idempotencyKey: 'mine' }))
    const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
    expect([new Set(keys).size, keys[2], error.idempotencyKey]).toEqual([3, 'mine', 'mine'])
  })
})

describe('a call that is not idempotent', () => {
  test('is not retried when its effect is unknown', async () => {
    for (const step of [
      broken(),
      broken(201, '{"key_id"'),
      problem(503, 'store-unavailable', { retry_after_s: 0 }),
    ]) {
      using service = await at([step])
      await errorOf(service.gleaner.webhooks.rotateSecret('whk_1'))
      expect(service.requests).toHaveLength(1)
    }
  })

  test('is retried after an answer that says that nothing was done', async () => {
    const refusals = [
      problem(429, 'rate-limited', { retry_after_s: 0 }),
      problem(503, 'shutting-down', { retry_after_s: 0 }),
    ]
    using service = await at([...refusals, answer(200, { webhook_id: 'whk_1' })])
    expect((await service.gleaner.webhooks.rotateSecret('whk_1')).webhook_id).toBe('whk_1')
  })

  test('is retried when a repeat has no further effect: revoke, and a cancellation that succeeded', async () => {
    using service = await at([broken(), answer(200, { key_id: 'key_1' })])
    expect((await service.gleaner.keys.revoke('key_1')).key_id).toBe('key_1')
    using cancelled = await at([broken(), problem(409, 'run-finished'), answer(200, run('cancelled'))])
    expect((await cancelled.gleaner.runs.cancel('run_1')).run_status).toBe('cancelled')
    using late = await at([problem(409, 'run-finished'), answer(200, run('succeeded'))])
    expect((await errorOf(late.gleaner.runs.cancel('run_1'))).code).toBe('run-finished')
  })
})

describe('an error', () => {
  test('has the code, status and fields of the problem, and its detail and code in the message', async () => {
    const errors = [{ pointer: '/limit', code: 'out-of-range', detail: 'must be at most 500' }]
    using service = await at([problem(422, 'validation-failed', { errors })])
    const error = await errorOf(service.gleaner.start('encyclopedia.search', TOLD))
    expect(error).toBeInstanceOf(GleanerError)
    expect(error).toMatchObject({ code: 'validation-failed', status: 422, errors, request_id: 'req_1' })
    expect(error.idempotencyKey).toBe(String(service.requests[0]?.headers['idempotency-key']))
    expect(error.message).toBe('because of validation-failed (validation-failed, req_1)')
  })

  test('of an unsuccessful run has the code of the run, and the run', async () => {
    const error = { code: 'private', title: 'Private', detail: 'The profile is private.' }
    for (const [ended, code] of [
      [run('failed', { error, result: { items: [{}], next_cursor: null, partial: true } }), 'private'],
      [run('cancelled'), 'cancelled'],
    ] as const) {
      using service = await at([answer(202, run('queued')), answer(200, ended)])
      const failed = (await errorOf(service.gleaner.run('encyclopedia.search', TOLD))) as RunFailed
      expect(failed).toBeInstanceOf(RunFailed)
      expect([failed.code, failed.run.result as unknown]).toEqual([code, ended.result])
    }
  })

  test('of a missing login has the link', async () => {
    using service = await at([
      problem(428, 'login-required', {
        hosted_url: 'https://x/login/1',
        expires_at: 'soon',
        source: 'microblog',
      }),
    ])
    const error = await errorOf(service.gleaner.run('microblog.search', TOLD))
    expect(error).toBeInstanceOf(LoginRequired)
    expect(error).toMatchObject({ hosted_url: 'https://x/login/1', expires_at: 'soon', source: 'microblog' })
  })

  test('is unexpected-answer for a page of another server, and a 502 of a proxy is retried', async () => {
    const page: Step = (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    const gone: Step = (response) => response.writeHead(404).end()
    for (const [step, status] of [
      [page, 200],
      [gone, 404],
    ] as const) {
      using service = await at([step])
      const error = await errorOf(service.gleaner.account.get())
      expect([error.code, error.status]).toEqual(['unexpected-answer', status])
    }
    using service = await at([
      (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
      ACCOUNT,
    ])
    await service.gleaner.account.get()
    expect(service.requests).toHaveLength(2)
  })

  test('is unexpected-answer for JSON of another server, broken JSON, and a page instead of a stream', async () => {
    const json =
      (text: string): Step =>
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    const page: Step = (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>\n\n<h1>Welcome</h1>\n\n</html>')
    const calls: readonly (readonly [Step, (gleaner: Gleaner) => Promise<unknown>])[] = [
      [json('{"status":"ok"}'), (gleaner) => gleaner.runs.list().next()],
      [json('{"runs":[]}'), (gleaner) => gleaner.runs.list().next()],
      [json('{"status":"ok"}'), (gleaner) => gleaner.runs.wait('run_1')],
      [json('{"status":"ok"}'), (gleaner) => gleaner.tasks.list()],
      [json('{"status":"ok"}'), (gleaner) => gleaner.start('of.plugin' as never, TOLD as never)],
      [json('{"status"'), (gleaner) => gleaner.account.get()],
      [page, (gleaner) => gleaner.events().next()],
    ]
    for (const [step, call] of calls) {
      using service = await at([step])
      const error = await errorOf(call(service.gleaner))
      expect([error.code, error.status, service.requests.length]).toEqual(['unexpected-answer', 200, 1])
    }
  })

  test('is unexpected-answer for a redirect, which is not followed', async () => {
    using other = await at([answer(200, run('succeeded'))])
    for (const status of [301, 302, 307, 308]) {
      using service = await at([answer(status, undefined, { location: `${other.url}/v1/runs/run_1` })])
      const error = await errorOf(service.gleaner.start('encyclopedia.search', TOLD))
      expect([error.code, error.status]).toEqual(['unexpected-answer', status])
    }
    expect(other.requests).toEqual([])
  })

  test('is not thrown while the service waits: for an endpoint, for the end of a run, for a replay', async () => {
    const late: Step = (response) => setTimeout(() => answer(200, {})(response, {} as never), 200)
    using service = await at([late], { timeoutS: 0.1, retryForS: 0 })
    const { gleaner } = service
    await gleaner.webhooks.test('whk_1')
    await gleaner.webhooks.replay('whk_1', { event_id: 'evt_1' })
    const body = { query: 'otter', _run: { async: false } }
    await gleaner.request('POST', '/v1/encyclopedia/search', { body })
    await gleaner.request('GET', '/v1/runs/{run_id}', { path: { run_id: 'run_1' }, query: { wait: 30 } })
    expect(service.requests).toHaveLength(4)
    expect((await errorOf(gleaner.account.get())).code).toBe('connection-failed')
  })

  test('is connection-failed for a silent connection', async () => {
    using service = await at([silent], { timeoutS: 0.05, retryForS: 0 })
    const error = await errorOf(service.gleaner.account.get())
    expect(error.message).toStartWith(`${service.url} could not be reached`)
    expect([error.code, error.message]).toEqual([
      'connection-failed',
      expect.stringContaining('no data received for 0.05 s'),
    ])
  })

  test('never contains the API key', async () => {
    for (const step of [broken(), silent, problem(401, 'invalid-key')]) {
      using service = await at([step], { timeoutS: 0.05, retryForS: 0 })
      const error = await errorOf(service.gleaner.account.get())
      expect(Bun.inspect(error) + error.stack + JSON.stringify(error)).not.toContain('secret')
    }
  })

  test('is thrown without a request for invalid arguments', async () => {
    expect(() => new Gleaner({ url: 'gleaner.example', apiKey: APIKEY })).toThrow(
      'url must be the http(s) URL of the service',
    )
    expect(() => new Gleaner({ url: 'http://x', apiKey: undefined })).toThrow('apiKey must be an API key')
    expect(() => new Gleaner({ url: 'http://x', apiKey: 'gln_a\n' })).toThrow('apiKey must be an API key')
    using service = await at([ACCOUNT])
    await expect(service.gleaner.runs.get('')).rejects.toThrow('run_id is missing')
    await expect(service.gleaner.start('forum.user', { username: '', type: 'comments' })).rejects.toThrow(
      'username',
    )
    await expect(service.gleaner.account.get({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    )
    expect(service.requests).toEqual([])
  })
})

describe('waiting', () => {
  test('polls after 3 s, then after twice as long each time up to 30 s, each ±10 %', async () => {
    const polls = [...Array(6).fill('running'), 'succeeded'].map((status) => Response.json(run(status)))
    const progress: unknown[] = []
    const onProgress = (now: unknown) => void progress.push(now)
    const delays = await delaysOf(polls, async (gleaner, requests) => {
      await gleaner.runs.wait('run_1', { poll: true, onProgress })
      expect(requests.map(({ url }) => url)).toEqual(Array(7).fill('http://gleaner/v1/runs/run_1'))
    })
    const rule = [3000, 6000, 12_000, 24_000, 30_000, 30_000, 30_000]
    const factors = delays.map((ms, i) => ms / (rule[i] ?? 0))
    expect(factors.map((factor) => Math.abs(factor - 1) <= 0.1)).toEqual(rule.map(() => true))
    expect(new Set(factors).size).toBe(rule.length)
    expect(progress).toEqual([])
  })

  test('uses long polling by default, and treats an unknown status as in progress', async () => {
    const answers = [run('pondering'), run('running'), run('canceled')].map((body) => Response.json(body))
    const delays = await delaysOf(answers, async (gleaner, requests) => {
      expect((await gleaner.runs.wait('run_1')).run_status).toBe('canceled' as never)
      expect(requests.map(({ url }) => url)).toEqual(Array(3).fill('http://gleaner/v1/runs/run_1?wait=25'))
    })
    // Answers that come at once, as from a service that is shutting down, are polled once a second.
    expect(delays.map((ms) => ms > 800 && ms <= 1000)).toEqual([true, true])
  })
})

describe('pages', () => {
  const page = (next_cursor: string | null) => [
    answer(202, run('queued')),
    answer(200, run('succeeded', { result: { items: [{ title: 'otter' }], next_cursor } })),
  ]

  test('pass the cursor on without the page number, each with an Idempotency-Key derived from the given one', async () => {
    using service = await at([...page('24'), ...page(null)])
    const items = []
    for await (const item of service.gleaner.items(
      'realty_a.search',
      { query: 'x', page: 2 },
      { idempotencyKey: 'mine' },
    ))
      items.push(item)
    expect(items).toHaveLength(2)
    const posts = service.requests.filter(({ method }) => method === 'POST')
    expect(posts.map(({ body, headers }) => [JSON.parse(body), headers['idempotency-key']])).toEqual([
      [{ query: 'x', page: 2 }, 'mine'],
      [{ query: 'x', cursor: '24' }, 'mine/2'],
    ])
  })

  test('run a page again whose run failed in an earlier call with the same key, and no other', async () => {
    const old = { 'idempotency-replayed': 'true' }
    const failed = run('failed', { error: { code: 'source-unavailable', title: '', detail: '' } })
    const done = run('succeeded', { result: { items: [], next_cursor: '24' } })
    const earlier = [answer(202, failed, old), answer(200, failed)]
    const steps = [answer(202, done, old), answer(200, done), ...earlier, ...earlier, answer(202, failed)]
    using service = await at(steps)
    const pages = service.gleaner.pages('realty_a.search', TOLD, { idempotencyKey: 'mine' })
    expect((await pages.next()).done).toBe(false)
    await expect(pages.next()).rejects.toThrow(RunFailed)
    const posts = service.requests.filter(({ method }) => method === 'POST')
    const keys = posts.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(['mine', 'mine/2', 'mine/2~2', 'mine/2~3'])
  })

  test('refuse a key that has no room for page numbers, before anything is paid', async () => {
    using service = await at([])
    const pages = service.gleaner.pages('encyclopedia.search', TOLD, { idempotencyKey: 'k'.repeat(246) })
    await expect(pages.next()).rejects.toMatchObject({ code: 'bad-idempotency-key' })
    expect(service.requests).toEqual([])
  })

  test('end at a repeated cursor, after maxPages, or when the caller stops', async () => {
    using service = await at([...page('1'), ...page('1')])
    const results = []
    for await (const one of service.gleaner.pages('encyclopedia.search', TOLD)) results.push(one)
    expect(results).toHaveLength(2)
    using few = await at([...page('1'), ...page('2')])
    for await (const one of few.gleaner.pages('encyclopedia.search', TOLD, { maxPages: 1 })) results.push(one)
    expect(results).toHaveLength(3)
    using left = await at([...page('1'), ...page('2')])
    for await (const one of left.gleaner.items('encyclopedia.search', TOLD)) if (one) break
    expect(left.requests).toHaveLength(2)
  })

  test('of a deleted result are an error, not an empty list', async () => {
    using service = await at([
      answer(202, run('queued')),
      answer(200, run('succeeded', { result: { expired_at: 'then' } })),
    ])
    const error = await errorOf(service.gleaner.run('encyclopedia.search', TOLD, { idempotencyKey: 'old' }))
    expect(error.code).toBe('result-expired')
  })
})

describe('a stream', () => {
  const stream =
    (...parts: readonly string[]): Step =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 2000\n\n')
      for (const part of parts) response.write(part)
      response.end()
    }
  const event = (sequence: string) => `id: ${sequence}\nevent: X\ndata: {"sequence":"${sequence}"}\n\n`

  test('resumes after the last position, also after one without an event', async () => {
    using service = await at([
      stream(event('1'), ': \nid: 2\n\n', event('3').slice(0, 20)),
      broken(),
      stream(event('3')),
      answer(204, undefined),
    ])
    const sequences: string[] = []
    for await (const { sequence } of service.gleaner.runs.events('run_1', { after: '0' }))
      sequences.push(sequence)
    expect(sequences).toEqual(['1', '3'])
    expect(service.requests.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '2', '2', '3'])
  })

  test('is reopened when it falls silent, and a refusal is an error', async () => {
    const hanging: Step = (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`retry: 2000\n\n${event('1')}`)
    using service = await at([hanging, problem(401, 'revoked-key')], { timeoutS: 1 })
    const sequences: string[] = []
    const following = (async () => {
      for await (const { sequence } of service.gleaner.events()) sequences.push(sequence)
    })()
    expect((await errorOf(following)).code).toBe('revoked-key')
    expect(sequences).toEqual(['1'])
  })

  test('is given up when it always ends at once', async () => {
    using service = await at([stream()], { retryForS: 0.3 })
    expect((await errorOf(service.gleaner.events().next())).code).toBe('connection-failed')
    expect(service.requests.length).toBeLessThan(10)
  })
})

describe('a download', () => {
  const part =
    (status: number, etag: string, length: number, text: string): Step =>
    (response) => {
      response.writeHead(status, { etag, 'content-length': String(length) })
      response.write(text, () =>
        setTimeout(() => (text.length < length ? response.destroy() : response.end()), 20),
      )
    }

  test('resumes where it broke', async () => {
    using service = await at([part(200, '"a"', 9, 'abc'), broken(), part(206, '"a"', 6, 'defghi')])
    expect(await (await service.gleaner.runs.download('run_1', 'a b.zip')).text()).toBe('abcdefghi')
    expect(service.requests.map(({ url, headers }) => [url, headers.range, headers['if-range']])).toEqual([
      ['/v1/runs/run_1/artifacts/a%20b.zip', undefined, undefined],
      ['/v1/runs/run_1/artifacts/a%20b.zip', 'bytes=3-', '"a"'],
      ['/v1/runs/run_1/artifacts/a%20b.zip', 'bytes=3-', '"a"'],
    ])
  })

  test('of items, which have no ETag, starts over where it broke and repeats nothing', async () => {
    const chunks =
      (parts: readonly string[], isWhole: boolean): Step =>
      async (response) => {
        for (const part of parts) {
          response.write(part)
          await new Promise((done) => setTimeout(done, 20))
        }
        if (isWhole) response.end()
        else response.destroy()
      }
    const steps = [
      chunks(['abc', 'de'], false),
      broken(),
      chunks(['abcd'], false),
      chunks(['ab', 'cdefg'], true),
    ]
    using service = await at([answer(200, run('succeeded')), ...steps])
    expect(await (await service.gleaner.runs.export('run_1', 'csv')).text()).toBe('abcdefg')
    expect(service.requests).toHaveLength(5)
    using shorter = await at([answer(200, run('succeeded')), steps[0]!, chunks(['[]'], true)])
    const file = await shorter.gleaner.runs.export('run_1', 'json')
    await expect(file.text()).rejects.toThrow('The file changed')
  })

  test('of a file that has changed is an error', async () => {
    using service = await at([part(200, '"a"', 9, 'abc'), part(200, '"b"', 3, 'xyz')])
    const file = await service.gleaner.runs.download('run_1', 'a.zip')
    await expect(file.text()).rejects.toThrow('The file changed')
  })
})
