/** Lists from read models show everything that was answered before them. */
import { afterEach, expect, test } from 'bun:test'
import { type Service, type ServiceOptions, startService } from './service.ts'

let service: Service
afterEach(() => service.close())

const LISTS = ['/v1/runs', '/v1/account/ledger'] as const

/** Requests a run, and reads the lists immediately afterwards. */
async function listed(waitUntilProjected: ServiceOptions['deps']) {
  service = await startService({ ...(waitUntilProjected ? { deps: waitUntilProjected } : {}) })
  const client = await service.openAccount(10)
  const kickoff = await service.post('/v1/sample/search', client.key, { query: 'x' })
  const { run_id } = (await kickoff.json()) as { run_id: string }
  const answers = await Promise.all(LISTS.map((path) => service.send(path, { key: client.key })))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  return {
    statuses: answers.map(({ status }) => status),
    retryAfter: answers.map(({ headers }) => headers.has('retry-after')),
    include: texts.map((text) => text.includes(run_id)),
  }
}

test('lists include a run as soon as its kickoff was answered', async () => {
  const patient = await listed(({ waitUntilProjected }) => ({
    waitUntilProjected: (model) => waitUntilProjected(model, 20_000),
  }))
  expect(patient).toMatchObject({ statuses: [200, 200], include: [true, true] })
})

test('lists are 503 with Retry-After when the projection takes too long', async () => {
  const late = await listed(() => ({ waitUntilProjected: async () => false }))
  expect(late.statuses).toEqual([503, 503])
  expect(late.retryAfter).toEqual([true, true])
})
