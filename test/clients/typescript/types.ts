/**
 * Tests of the client's types: compiled by `npm run check`, never run. Each line after `@ts-expect-error` must be an
 * error.
 *
 * @module
 */
import type { Gleaner, Item, Run } from '../../../clients/typescript/src/index.ts'

declare module '../../../clients/typescript/src/index.ts' {
  interface Tasks {
    'book.pages': {
      input: { shelf: string; cursor?: string; ms?: number; fails_at?: number }
      result: { items: { shelf: string; n: number }[]; next_cursor: string | null }
    }
    'book.file': {
      input: { bytes: number }
      result: { items: { bytes: number }[]; next_cursor: string | null }
    }
  }
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <T extends true>(..._: T[]) => {}

export async function inputs(gleaner: Gleaner) {
  await gleaner.run('encyclopedia.search', { query: 'otter', limit: 5 })
  // @ts-expect-error a task that does not exist
  await gleaner.run('encyclopedia.serch', { query: 'otter' })
  // @ts-expect-error a required field is missing
  await gleaner.run('encyclopedia.search', {})
  // @ts-expect-error an unknown field
  await gleaner.run('encyclopedia.search', { query: 'otter', limt: 5 })
  // @ts-expect-error a field of another type
  await gleaner.run('encyclopedia.search', { query: 'otter', limit: '5' })
  // @ts-expect-error whether the client waits is an option, not part of the input
  await gleaner.run('encyclopedia.search', { query: 'otter', _run: { async: false } })
  await gleaner.run('forum.user', { username: 'otter', type: 'submitted', limit: 3 })
  // @ts-expect-error a field of the path is missing
  await gleaner.run('forum.user', { username: 'otter' })
  // @ts-expect-error an invalid value of a field
  await gleaner.run('forum.user', { username: 'otter', type: 'everything' })
  await gleaner.run('microblog.timeline', {})
  await gleaner.run('marketplace.search.filtered', { query: 'lamp', brand_ids: ['1', '2'] })
  await gleaner.run('marketplace.search.filtered', { query: 'lamp', brand_ids: '1,2' })
  // @ts-expect-error the option's name must have a unit
  await gleaner.run('encyclopedia.search', { query: 'otter' }, { timeout: 5 })
}

export async function results(gleaner: Gleaner) {
  const run = await gleaner.run('encyclopedia.search', { query: 'otter' })
  holds<Equal<typeof run.run_status, 'succeeded'>>()
  holds<Equal<(typeof run.result.items)[number]['pageid'], number | null>>()
  // @ts-expect-error no such field
  run.result.items[0]?.titel
  for await (const item of gleaner.items('encyclopedia.search', { query: 'otter' })) {
    holds<Equal<typeof item, Item<'encyclopedia.search'>>>()
    item.title.toUpperCase()
  }
  const started: Run<'encyclopedia.search'> = await gleaner.start('encyclopedia.search', { query: 'otter' })
  // @ts-expect-error a started run may have no result yet
  started.result.items
  const any = await gleaner.runs.get('run_1')
  if (any.task_key === 'encyclopedia.search' && any.result && 'items' in any.result)
    any.result.items[0]?.wordcount
  const searchRun = await gleaner.runs.get<'encyclopedia.search'>('run_1')
  holds<Equal<typeof searchRun, Run<'encyclopedia.search'>>>()
  for (const { title } of await searchRun.itemsSoFar()) title?.toUpperCase()
}

export async function everythingElse(gleaner: Gleaner) {
  const { balance } = await gleaner.account.get()
  balance.toFixed()
  await gleaner.request('GET', '/v1/runs', { query: { status: 'failed', limit: 3 } })
  // @ts-expect-error an unknown status
  await gleaner.request('GET', '/v1/runs', { query: { status: 'fine' } })
  // @ts-expect-error an unknown path
  await gleaner.request('GET', '/v1/run')
  // @ts-expect-error a method that the path does not have
  await gleaner.request('DELETE', '/v1/runs')
  // @ts-expect-error the run is missing
  await gleaner.request('GET', '/v1/runs/{run_id}')
  const login = await gleaner.request('POST', '/v1/logins/{source}', { path: { source: 'microblog' } })
  login.hosted_url?.toUpperCase()
  // @ts-expect-error a repeat may have no link
  login.hosted_url.toUpperCase()
  await gleaner.logins.start('microblog', { idempotencyKey: 'k' })
  gleaner.events({ types: ['RunSucceeded'] })
  // @ts-expect-error an unknown event
  gleaner.events({ types: ['RunSuceeded'] })
  await gleaner.keys.create({ scopes: ['runs'] })
  const { secret } = await gleaner.webhooks.create({
    url: 'https://example.com/hook',
    types: ['RunSucceeded'],
  })
  secret?.toUpperCase()
  await gleaner.keys.create({ scopes: ['runs'] }, { idempotencyKey: 'k' })
  // @ts-expect-error the url is missing
  await gleaner.webhooks.create({ types: ['RunSucceeded'] })
  // @ts-expect-error an unknown state
  await gleaner.webhooks.update('web_1', { state: 'asleep' })
  for await (const { attempts } of gleaner.webhooks.deliveries('web_1', { state: 'failed' })) attempts.at(-1)
  // @ts-expect-error an unknown scope
  await gleaner.keys.create({ scopes: ['all'] })
}
