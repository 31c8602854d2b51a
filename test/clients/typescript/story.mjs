/**
 * A program that makes each call of the client once. It is plain JavaScript, so that Node, Bun, Deno and browsers run
 * it unchanged.
 *
 * @module
 */

/**
 * @param client the client's module
 * @param options.url the address of a service with the plugins of test/clients/plugins
 * @returns the results, for JSON
 */
export async function story({ Gleaner, LoginRequired, RunFailed, verifyWebhook }, { url, apiKey, webhook }) {
  const gleaner = new Gleaner({ url, apiKey })
  const failure = async (promise) => {
    const error = await promise.then(
      () => ({ name: 'none' }),
      (reason) => reason,
    )
    return [error.name, error.code, error.status]
  }
  const all = async (iterable) => {
    const seen = []
    for await (const one of iterable) seen.push(one)
    return seen
  }

  const progress = []
  const run = await gleaner.run(
    'book.pages',
    { shelf: 'a b/ü', ms: 1200 },
    { onProgress: (now) => progress.push(now) },
  )
  const items = await all(gleaner.items('book.pages', { shelf: 'a' }))
  const two = await all(
    gleaner.pages('book.pages', { shelf: 'a' }, { maxPages: 2, idempotencyKey: `two ${url}` }),
  )
  const again = await all(
    gleaner.pages('book.pages', { shelf: 'a' }, { maxPages: 2, idempotencyKey: `two ${url}` }),
  )
  const started = await gleaner.start('book.pages', { shelf: 'b' })
  const events = await all(started.events())
  const rest = await all(started.events({ after: events.at(-2).sequence }))
  const nothing = await all(started.events({ after: events.at(-1).sequence }))
  const exported = await (await gleaner.start('book.pages', { shelf: 'x' })).export('ndjson')
  const failing = await gleaner.start('book.pages', { shelf: 'c', fails_at: 2 })
  const partial = []
  const partialEnd = await failure(
    (async () => {
      for await (const { n } of failing.items()) partial.push(n)
    })(),
  )
  const long = await gleaner.start('book.pages', { shelf: 'd', ms: 60_000 })
  const impatient = await failure(long.wait({ signal: AbortSignal.timeout(50) }))
  const left = new AbortController()
  const leaving = failure(
    (async () => {
      for await (const { type } of long.events({ signal: left.signal }))
        if (type) left.abort(new Error('enough'))
    })(),
  )
  await leaving
  await long.cancel()
  const cancelled = await long.wait()
  const cancelledAgain = await long.cancel().then(({ run_status }) => run_status)
  const file = await gleaner.run('book.file', { bytes: 1_000_000 })
  const download = await file.download(file.artifacts[0].name)
  const bytes = new Uint8Array(await download.arrayBuffer())
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const ledger = await all(gleaner.account.ledger())
  const { balance } = await gleaner.account.get()
  const key = await gleaner.keys.create({ name: 'from the client', scopes: ['runs'] })
  const other = new Gleaner({ url, apiKey: async () => key.api_key })
  const feed = []
  for await (const event of gleaner.events({ types: ['KeyCreated'] })) {
    feed.push(event.data.name)
    if (event.data.key_id === key.key_id) break
  }
  const balanceOfOther = (await other.account.get()).balance
  const revoked = await gleaner.keys.revoke(key.key_id)
  const { webhook_id: id, secret } = await gleaner.webhooks.create({ url: webhook.receiver })
  const tested = await gleaner.webhooks.test(id)
  const changed = await gleaner.webhooks.update(id, { description: 'of the story', state: 'disabled' })
  const [{ webhook_id: first }] = await gleaner.webhooks.list()
  const rotated = await gleaner.webhooks.rotateSecret(id)
  const replayed = await gleaner.webhooks.replay(id, { from: new Date(0).toISOString(), only_failed: true })
  const deliveries = await all(gleaner.webhooks.deliveries(id, { state: 'failed' }))
  const gone = await gleaner.webhooks.delete(id)
  const listed = []
  for await (const { run_id } of gleaner.runs.list({
    task_key: 'book.pages',
    status: 'succeeded',
    limit: 3,
  })) {
    listed.push(run_id)
  }
  return {
    run: [
      run.run_status,
      run.task_key,
      run.result.items,
      run.credits,
      'wait' in JSON.parse(JSON.stringify(run)),
    ],
    progress: progress.map(({ done }) => done > 0 && done <= 4).at(-1),
    items: items.map(({ n }) => n),
    pages: two.map(({ result }) => result.items.map(({ n }) => n)),
    again: again.map(({ run_id }, i) => run_id === two[i].run_id),
    ofOneRun: (await all(gleaner.runs.items(run.run_id))).length,
    same: (await gleaner.runs.get(run.run_id)).run_status,
    events: events.map(({ type }) => type).filter((type) => !type.endsWith('Progressed')),
    rest: [rest.length, nothing.length],
    partial,
    partialEnd,
    impatient,
    leaving: await leaving,
    cancelled: [cancelled.run_status, cancelledAgain],
    ndjson: (await exported.text()).trimEnd().split('\n').length,
    csvById: (await (await gleaner.runs.export(run.run_id, 'csv')).text()).length,
    csv: await (await run.export('csv')).text(),
    download: [
      download.headers.get('content-length'),
      bytes.length,
      Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') === file.artifacts[0].sha256,
    ],
    books: ledger.reduce((sum, { amount }) => sum + amount, 0) === balance,
    feed: feed.at(-1),
    key: [key.api_key.startsWith('gln_'), balanceOfOther === balance, revoked.revoked_at !== null],
    refused: [
      await failure(other.account.get()),
      await failure(gleaner.run('encyclopedia.search', { quary: 'otter' })),
      await failure(gleaner.run('book.nothing', {})),
      await failure(gleaner.run('microblog.search', { query: 'otter' })),
      await failure(gleaner.runs.wait('run_nothing')),
      await failure(new Gleaner({ url: `${url}/docs#`, apiKey }).account.get()),
    ],
    login: await gleaner
      .run('microblog.search', { query: 'otter' })
      .catch((error) => [error instanceof LoginRequired, error.hosted_url.startsWith(url), error.source]),
    ended: await gleaner
      .run('book.pages', { shelf: 'e', fails_at: 1 })
      .catch((error) => [error instanceof RunFailed, error.code, error.run.result]),
    tasks: (await gleaner.tasks.list()).length > 20,
    task: (await gleaner.tasks.get('book.pages')).credit_cost,
    days: (await gleaner.tasks.health('book.pages', { days: 1 })).task_key,
    logins: (await gleaner.logins.list()).map(({ source }) => source).includes('microblog'),
    listed: listed.length === new Set(listed).size && listed.length >= 9,
    health: await gleaner.request('GET', '/healthz'),
    secret,
    webhooks: [
      tested.delivered,
      tested.status,
      changed.description,
      changed.state,
      first === id,
      replayed,
      deliveries,
    ],
    endpoint: [rotated.secret !== secret, gone === undefined, await failure(gleaner.webhooks.get(id))],
    webhook: (await verifyWebhook(webhook.payload, webhook.headers, webhook.secret)).type,
    forged: await failure(verifyWebhook(`${webhook.payload} `, webhook.headers, webhook.secret)),
  }
}
