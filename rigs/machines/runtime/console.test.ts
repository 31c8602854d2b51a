/** The console on both runtimes, used as by a browser without scripts: set up, a key, a run and a restart. */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { endAll } from '../../servers/processes.ts'
import { addressOf, folder } from '../../servers/server.ts'
import { person } from './console.ts'
import { RUNTIMES, serveOn } from './runtimes.ts'

const data = folder()
afterAll(async () => {
  await endAll()
  data.remove()
})
const PASSWORD = 'correct horse battery'

test.each(RUNTIMES.map((runtime) => ({ name: runtime.name, runtime })))(
  'the console is set up, used, and survives a restart, on $name',
  async ({ name, runtime }) => {
    const dataDir = join(data.path, name)
    const first = serveOn(runtime, dataDir)
    const address = await addressOf(first)
    const [link] = await first.says(/http:\/\/127\.0\.0\.1:\d+\/console\/setup\/[\w-]{43}/)
    const ann = person(address)
    const setUp = await ann.post(link, { name: 'Ann', email: 'ann@example.org', password: PASSWORD })
    expect(setUp.status).toBe(303)
    const own = setUp.headers.get('location')!
    const page = await ann.submit(`${own}/keys`, { name: 'k', scopes: 'runs' })
    const key = /gln_\w+_\w{6}/.exec(page)![0]
    const account = await fetch(`${address}/v1/account`, { headers: { authorization: `Bearer ${key}` } })
    expect(account.status).toBe(200)
    const started = await ann.post(`${own}/tasks/encyclopedia.search`, {
      json: '{"query":"otter"}',
      by: 'json',
    })
    const run = started.headers.get('location')!
    expect(await ann.get(run)).toContain('Requested by Ann')
    expect(await ann.get(own)).not.toContain('First steps')
    first.child.kill('SIGKILL')
    await first.ended

    const { port } = new URL(address)
    const second = serveOn(runtime, dataDir, { PORT: port })
    await addressOf(second)
    // The session is still valid, and no setup link is printed.
    expect(await ann.get(`${own}/runs`)).toContain('encyclopedia.search')
    expect(second.printed.out).not.toContain('/console/setup/')
    expect((await ann.post('/console/sign-out')).status).toBe(303)
    const wrong = await ann.post('/console/sign-in', { email: 'ann@example.org', password: 'wrong' })
    expect(wrong.status).toBe(422)
    const right = await ann.post('/console/sign-in', { email: 'ANN@example.org', password: PASSWORD })
    expect(right.status).toBe(303)
    expect(await ann.get('/console/me')).toContain('ann@example.org')
  },
  60_000,
)
