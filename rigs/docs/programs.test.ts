/** Runs each program of docs/http.md against a real service: it does the same as the command above it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { endAll, until } from '../servers/processes.ts'
import { addressOf, client, folder, KEY, OPERATOR_KEY, ROOT, startServer } from '../servers/server.ts'
import { hasPython } from '../support/python.ts'
import { LANGUAGES, type Language, Programs, programsIn } from './programs.ts'
import { startReceiver } from './receiver.ts'
import { HITS, NEVER, startWiki } from './wiki.ts'

const [SETUP, ...BLOCKS] = programsIn('docs/http.md')

let wiki: Awaited<ReturnType<typeof startWiki>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let data: ReturnType<typeof folder>
let programs: Programs
let address: string
let call: ReturnType<typeof client>
beforeAll(async () => {
  wiki = await startWiki()
  receiver = await startReceiver()
  data = folder()
  const server = startServer(join(data.path, 'data'), {
    PLUGINS_DIR: join(ROOT, 'test', 'clients', 'plugins'),
    SOURCE_ENCYCLOPEDIA_ORIGIN: wiki.origin,
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  })
  programs = new Programs(join(data.path, 'programs'))
  address = await addressOf(server)
  call = client(address, KEY)
}, 60_000)
afterAll(async () => {
  await endAll()
  await wiki.stop()
  receiver.stop()
  data.remove()
})

test('each command in docs/http.md exists in every language and has a case here', () => {
  const languages = [SETUP, ...BLOCKS].map((blocks) => Object.keys(blocks ?? {}))
  expect(languages).toEqual(languages.map(() => [...LANGUAGES]))
  expect(BLOCKS).toHaveLength(Object.keys(CASES).length)
})

/** An entry of the ledger. */
type Entry = { readonly kind: string; readonly run_id: string | null }

/** Runs the block that creates the client and then a block with a reader's values. @returns the printed lines */
type Run = (fillIn?: Readonly<Record<string, string>>) => Promise<string[]>
const kickoff = async (input: object, path = '/v1/encyclopedia/search') => (await call(path, input)).body

/** The expectations of each block, in order. */
const CASES: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  async 'start a run'(run) {
    const [id = ''] = await run()
    expect((await call(`/v1/runs/${id}`)).body.task_key).toBe('encyclopedia.search')
  },
  async 'the tasks'(run) {
    const lines = await run()
    expect(lines).toContain('encyclopedia.search 1')
    expect(['healthy', 'unknown']).toContain(lines.at(-1) ?? '')
  },
  async 'the result and its items as CSV'(run) {
    const { run_id } = await kickoff({ query: 'otter', limit: 5 })
    const [status, head = '', first = ''] = await run({ 'run_…': run_id })
    expect([status, head.split(',')[0], first.split(',')[0]]).toEqual(['succeeded', 'title', 'otter 1'])
  },
  async 'events and files'(run) {
    const { run_id } = await kickoff({ bytes: 1000, _run: { async: false } }, '/v1/book/file')
    const lines = await run({ 'run_…': run_id })
    expect([lines[0], ...lines.slice(-2)]).toEqual([
      'gleaner.RunRequested',
      'gleaner.RunSucceeded',
      'a "page" 1%.bin 1000',
    ])
  },
  async 'items over all pages'(run) {
    expect(await run()).toEqual(Array.from({ length: HITS }, (_, i) => `otter ${i + 1}`))
  },
  async 'run and wait'(run) {
    expect(await run()).toEqual(['otter 1', 'otter 2', 'otter 3', 'otter 4', 'otter 5'])
  },
  async 'repeat with one Idempotency-Key'(run) {
    const { balance } = (await call('/v1/account')).body
    const key = `order-${balance}`
    const lines = (await run({ 'order-1042': key })).map((line) => line.split(' '))
    expect(lines.map(([attempt]) => attempt)).toEqual(['first', 'second'])
    expect(lines[0]?.[1]).toBe(lines[1]?.[1] ?? '')
    expect((await call('/v1/account')).body.balance).toBe(balance - 1)
  },
  async 'cancel and list'(run) {
    const failed = await kickoff({ query: NEVER })
    const lines = await run({ 'run_…': failed.run_id })
    expect(['cancelling', 'cancelled']).toContain(lines[0] ?? '')
    expect(lines).toHaveLength(1)
    // The next program reads the balance and then the ledger, which must not change in between.
    const isRefund = ({ kind, run_id }: Entry) => kind === 'refunded' && run_id === failed.run_id
    await until(async () => (await call('/v1/account/ledger')).body.entries.some(isRefund))
  },
  async 'the days of a task'(run) {
    const lines = await run()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\d [\d.]+ [\d.]+$/)
  },
  async 'balance and ledger'(run) {
    const [balance, ...entries] = await run()
    const sum = entries.reduce((so, entry) => so + Number(entry.split(' ')[1]), 0)
    expect(sum).toBe(Number(balance))
    expect(entries.at(-1)).toBe('granted 1000000')
  },
  async logins(run) {
    const lines = await run()
    expect(lines).toContain('microblog needs_login')
    expect(lines.at(-1)).toStartWith(`${address}/login/`)
    const { logins } = (await call('/v1/logins')).body
    expect(logins).toContainEqual(expect.objectContaining({ source: 'microblog', state: 'needs_login' }))
  },
  async keys(run) {
    const { body: keyRecord } = await call('/admin/create-key', {})
    const [key = '', ...listed] = await run({ 'key_…': keyRecord.key_id })
    expect((await client(address, key)('/v1/account')).status).toBe(200)
    expect(listed.some((line) => line.endsWith(' ci'))).toBe(true)
    expect((await client(address, keyRecord.api_key)('/v1/account')).body.code).toBe('revoked-key')
  },
  async 'the event feed'(run) {
    const { run_id } = await kickoff({ query: 'otter', _run: { async: false } })
    const lines = await run({ 'run_…': run_id })
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(line).toMatch(/^\S+ gleaner\.Run(Succeeded|Failed)$/)
  },
  async 'a webhook'(run) {
    const [line = ''] = await run({ 'https://example.com/hook': receiver.url })
    expect(line).toMatch(/^whk_\w+ whsec_\S+$/)
  },
  async 'a webhook that is tested, and its deliveries'(run) {
    const { body } = await call('/v1/webhooks', { url: receiver.url })
    expect(await run({ 'whk_…': body.webhook_id })).toEqual([expect.stringMatching(/^true 204$/i), '0'])
  },
  async 'a webhook that is changed and deleted'(run) {
    const { body } = await call('/v1/webhooks', { url: receiver.url })
    const lines = await run({ 'whk_…': body.webhook_id })
    expect(lines).toContain(`${body.webhook_id} enabled`)
    expect(lines.at(-1)).toStartWith('whsec_')
    expect((await call(`/v1/webhooks/${body.webhook_id}`)).status).toBe(404)
  },
  async 'the calls of the operator'(run) {
    const [line = ''] = await run()
    expect(line).toStartWith('600 ')
    expect(line).toContain('encyclopedia.*')
  },
  async 'an error'(run) {
    const text = (await run()).join('\n')
    for (const words of ['/limit', 'out-of-range', 'must be a whole number from 1 to 500'])
      expect(text).toContain(words)
  },
}

const RUNNERS: { readonly [L in Language]: (code: string) => Promise<string[]> } = {
  ts: (code) => programs.typescript(code, { OPERATOR_KEY }),
  python: (code) => programs.python(code, { OPERATOR_KEY }),
}

for (const language of LANGUAGES) {
  describe.skipIf(language === 'python' && !hasPython)(`docs/http.md in ${language}`, () => {
    for (const [i, [name, expected]] of Object.entries(CASES).entries()) {
      test(name, () => {
        const code = `${SETUP?.[language]}${BLOCKS[i]?.[language]}`
        return expected((fillIn = {}) => {
          const filled = { 'http://127.0.0.1:3000': address, 'gln_…': KEY, ...fillIn }
          const text = Object.entries(filled).reduce((so, [open, value]) => so.replaceAll(open, value), code)
          expect(text).not.toContain('…')
          return RUNNERS[language](text)
        })
      })
    }
  })
}

test('the programs in TypeScript compile', () => {
  expect(programs.compiled()).toBe('')
})
