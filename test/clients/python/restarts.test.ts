/** The service is killed with SIGKILL and restarted under a Python client that waits, streams and pages. */
import { afterEach, expect, test } from 'bun:test'
import { startWiki } from '../../../rigs/docs/wiki.ts'
import { endAll, type Running, start, until } from '../../../rigs/servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT, startServer } from '../../../rigs/servers/server.ts'
import { hasPython, PYTHON } from '../../../rigs/support/python.ts'

afterEach(endAll)

type Said = {
  readonly item?: string
  readonly event?: string
  readonly fed?: string
  readonly over?: string
  readonly type?: string
  readonly run_status?: string
  readonly items?: readonly { readonly n: number }[]
}

/** The account's events, as the pages of the feed list them. */
async function allEvents(call: ReturnType<typeof client>): Promise<string[]> {
  const { body } = await call('/v1/events?limit=500')
  expect(body.caught_up).toBe(true)
  return body.events.map(({ sequence }: { sequence: string }) => sequence)
}

test.skipIf(!hasPython)(
  'a Python client loses and repeats nothing when the service is killed and restarted',
  async () => {
    const wiki = await startWiki()
    const data = folder()
    const env = { SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin, LEASE_S: '1' }
    let server = startServer(data.path, env)
    const url = await addressOf(server)
    const { port } = new URL(url)
    const reader: Running = start(PYTHON, ['-B', '-W', 'error', 'test/clients/python/follow.py'], {
      cwd: ROOT,
      env: { PYTHONPATH: 'clients/python', SERVICE: JSON.stringify({ url, key: KEY }) },
    })
    const said = (): Said[] =>
      reader.printed.out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    for (const title of ['otter 3', 'otter 18']) {
      await reader.says(new RegExp(`"${title}"`))
      server.child.kill('SIGKILL')
      await server.ended
      server = startServer(data.path, { ...env, PORT: port })
      await addressOf(server)
    }
    const call = client(url, KEY)
    await until(() => said().filter(({ over }) => over !== undefined).length === 3)
    // Revoking a key makes the last event, at which the program ends.
    const { body: key } = await call('/admin/create-key', {})
    await call('/admin/revoke-key', { key_id: key.key_id })
    expect(await reader.ended).toEqual({ code: 0, signal: null })
    expect(reader.printed.err).toBe('')

    const all = said()
    expect(all.flatMap(({ item }) => item ?? [])).toEqual(
      Array.from({ length: 46 }, (_, i) => `otter ${i + 1}`),
    )
    const { body: pages } = await call('/v1/runs?task_key=encyclopedia.search')
    expect(pages.runs.length).toBe(10)
    expect(all.flatMap(({ fed }) => fed ?? [])).toEqual(await allEvents(call))
    const events = all.filter(({ event }) => event !== undefined)
    const { body: slow } = await call('/v1/runs?task_key=storm.slow')
    expect(slow.runs.length).toBe(1)
    const stream = (await call('/v1/events?limit=500')).body.events.filter(
      ({ subject }: { subject: string }) => subject === `run-${slow.runs[0].run_id}`,
    )
    expect(events.map(({ event }) => event)).toEqual(
      stream.map(({ sequence }: { sequence: string }) => sequence),
    )
    expect(events.at(-1)?.type).toBe('gleaner.RunSucceeded')
    const waited = all.find(({ over }) => over === 'wait')
    expect(waited?.run_status).toBe('succeeded')
    const { body: run } = await call(`/v1/runs/${slow.runs[0].run_id}`)
    expect(waited?.items).toEqual(run.result.items)
    await wiki.stop()
    data.remove()
  },
  60_000,
)
