/** Whole processes on both runtimes: shutdown, crashes, the takeover of each other's data, and the command line. */
import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { delay } from '../../../src/async/delay.ts'
import { commandLine } from '../../../test/cli/command-line.ts'
import { childrenOf, endAll, isAlive, start, until } from '../../servers/processes.ts'
import { addressOf, client, folder, KEY, ROOT } from '../../servers/server.ts'
import { logIsWhole, readModelsAreTheLogs, rowsOf } from '../crash/verify.ts'
import { head, jsonHead, open } from './raw.ts'
import { BUN, DENO, gleanerOn, type Runtime, serveOn } from './runtimes.ts'
import { settled } from './seen.ts'

/** Longer than the time in which repeated signals count as one, in milliseconds. */
const SIGNALS_MS = 1500

// These tests mostly wait, so they run concurrently.
const together = test.concurrent
const folders: ReturnType<typeof folder>[] = []
afterAll(async () => {
  await endAll()
  for (const { remove } of folders) remove()
})

/** A new data folder for one test. */
function newFolder(): string {
  const temporary = folder()
  folders.push(temporary)
  return temporary.path
}

for (const runtime of [DENO, BUN]) {
  const other = runtime === BUN ? DENO : BUN

  describe(`a server on ${runtime.name}`, () => {
    together(
      'stops despite stuck clients and releases its runs, and a second signal ends the grace period',
      async () => {
        const data = newFolder()
        const server = serveOn(runtime, data, { SHUTDOWN_GRACE_S: '0.5', LEASE_S: '10' })
        const address = await addressOf(server)
        const port = Number(new URL(address).port)
        const call = client(address, KEY)
        const { body: large } = await call('/v1/storm/slow', { ms: 0, _run: { async: false } })
        const { body: run } = await call('/v1/storm/slow', { ms: 600_000 })
        await until(async () => (await call(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
        // Later requests are answered, so the server has received this one.
        const held = call(`/v1/runs/${run.run_id}?wait=60`)
        const deaf = await open(port, head('GET', '/docs').repeat(50))
        deaf.socket.pause()
        const streams = [
          await open(port, head('GET', '/v1/events/stream')),
          await open(port, head('GET', `/v1/runs/${run.run_id}/events`)),
        ]
        for (const { says } of streams) await says(/retry: 2000/)
        await open(port, `${jsonHead('/v1/storm/quick', 100)}{"items"`)
        await open(port, '')
        server.child.kill('SIGTERM')
        // The run was released, and waiting clients see that.
        expect((await held).body).toMatchObject({ run_status: 'queued', attempt: 1 })
        expect(await server.ended).toEqual({ code: 0, signal: null })

        const next = serveOn(other, data, { SHUTDOWN_GRACE_S: '600', LEASE_S: '10', LOG_LEVEL: 'info' })
        const again = client(await addressOf(next), KEY)
        await until(async () => (await again(`/v1/runs/${run.run_id}`)).body.run_status === 'running')
        expect((await again(`/v1/runs/${run.run_id}`)).body).toMatchObject({ attempt: 1 })
        expect((await again(`/v1/runs/${large.run_id}`)).body).toEqual(large)
        next.child.kill('SIGTERM')
        await until(() => next.printed.err.includes('"Stopping'))
        // Signals in quick succession count as one.
        await delay(SIGNALS_MS)
        next.child.kill('SIGTERM')
        expect(await next.ended).toEqual({ code: 0, signal: null })
      },
      60_000,
    )

    together(
      `leaves no child process when killed, and only then can a server on ${other.name} take over its data`,
      async () => {
        const data = newFolder()
        const first = serveOn(runtime, data, { LEASE_S: '5' })
        const address = await addressOf(first)
        const call = client(address, KEY)
        const runs = await kickOff(address)
        await until(async () => (await call('/v1/runs?status=running')).body.runs.length > 0)
        const refused = serveOn(other, data)
        expect((await refused.ended).code).toBe(1)
        expect(refused.printed.err).toContain(`in use by another server (process ${first.pid})`)
        const children = childrenOf(first.pid)
        expect(children.length).toBeGreaterThan(0)
        first.child.kill('SIGKILL')
        await first.ended
        await until(() => !children.some(isAlive))

        const second = serveOn(other, data)
        const again = client(await addressOf(second), KEY)
        for (const id of runs) {
          const { status, body } = await again(`/v1/runs/${id}?wait=60`)
          expect([status, body.run_status]).toEqual([200, 'succeeded'])
        }
        const { body: replayed, headers } = await again(
          '/v1/storm/quick',
          { items: 3 },
          { 'idempotency-key': 'once' },
        )
        expect([headers.get('idempotency-replayed'), replayed.run_id]).toEqual(['true', runs[0]])
        const { body: account } = await again('/v1/account')
        expect(account.balance).toBe(1_000_000 - 2 * 2 - 3)
        second.child.kill('SIGTERM')
        expect((await second.ended).code).toBe(0)
        await logIsWhole({ DATA_DIR: data })
        await readModelsAreTheLogs({ DATA_DIR: data }, () => rowsOf(data))
      },
      60_000,
    )
  })
}

/** A quick run with an Idempotency-Key, one without, and one that takes a while. */
async function kickOff(address: string): Promise<string[]> {
  const call = client(address, KEY)
  const replies = [
    await call('/v1/storm/quick', { items: 3 }, { 'idempotency-key': 'once' }),
    await call('/v1/storm/quick', {}),
    await call('/v1/storm/slow', { ms: 4000 }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
  return replies.map(({ body }) => body.run_id)
}

describe('the command line', () => {
  type Said = { readonly line: string; readonly code: number; readonly out: string; readonly err: string }
  const COMMANDS: readonly (readonly [number, string])[] = [
    [0, 'version'],
    [2, 'frobnicate'],
    [2, 'grant default x'],
    [1, 'keys revoke key_00000000000000000000000000'],
    [0, 'events tail'],
    [0, 'keys create --name ci --scopes runs --json'],
    [0, 'keys list'],
    [0, 'grant default 50 --reason July'],
    [0, 'rebuild'],
    [0, 'vault rotate'],
    [0, 'vault forget default'],
    // No browser is started here: rigs/machines/runtime/sign-in.test.ts does that on both.
    [1, 'doctor'],
  ]
  const CHROMIUM_PATH = '/no/browser'
  const env = (DATA_DIR: string) => ({ DATA_DIR, PORT: '0', OPERATOR_KEY: '', CHROMIUM_PATH })

  /** The output of all commands on a store. */
  async function said({ command: [program, ...args] }: Runtime, dataDir: string) {
    const lines = COMMANDS.map(([, line]) => line)
    const words = [...args, 'rigs/machines/runtime/commands.ts', ...lines]
    const { ended, printed } = start(program, words, { cwd: ROOT, env: env(dataDir) })
    expect({ ...(await ended), err: printed.err }).toEqual({ code: 0, signal: null, err: '' })
    const all: readonly Said[] = JSON.parse(printed.out)
    expect(all.map(({ code, line }) => [code, line] as const)).toEqual([...COMMANDS])
    const comparable = (text: string) =>
      settled(text)
        .replaceAll(/(Bun|Deno) \d+\.\d+\.\d+/g, 'runtime')
        .replaceAll(dataDir, 'folder')
        .replaceAll(/\d[\d,]* a second|\d+\.\d GiB|\b[0-9a-f]{16}\b/g, '…')
        // The reason is worded by the runtime.
        .replace(/(?<=^fail +browser +\S+ ).*$/m, '…')
    return all.map(({ line, out, err }) => [line, comparable(out), comparable(err)])
  }

  together(
    'prints the same on Bun and Deno, command by command',
    async () => {
      const line = await commandLine()
      folders.push({ path: line.folder, remove: line.remove })
      const other = newFolder()
      cpSync(line.folder, other, { recursive: true })
      const [bun, deno] = await Promise.all([said(BUN, line.folder), said(DENO, other)])
      expect(deno).toEqual(bun)
      expect(String(bun)).toContain('CreditsGranted')
    },
    60_000,
  )

  together(
    'exits with 2 on Deno after a usage error',
    async () => {
      const { ended, printed } = gleanerOn(DENO, ['frobnicate'], env(newFolder()))
      expect((await ended).code).toBe(2)
      expect(printed.err).toContain("unknown command 'frobnicate'")
    },
    60_000,
  )
})
