import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projections } from '../../projections/all.ts'
import { runsAtOnce, whyNotWritten } from '../../src/cli/doctor/machine.ts'
import { readConfig } from '../../src/config.ts'
import { isApiKey } from '../../src/keys/api-key.ts'
import { DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { lockFolder } from '../../src/sqlite/lock.ts'
import { openStores } from '../../src/stores.ts'
import { executable } from '../browser/web.ts'
import { allCommands, type CommandLine, commandLine, withServices } from './command-line.ts'

// The doctor starts a browser, which is slow on a busy machine.
setDefaultTimeout(60_000)

let line: CommandLine
beforeAll(async () => {
  line = await commandLine()
})
afterAll(() => line.remove())

const BACK_IN_TIME = 'no-such-folder'
const KEY = /gln_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}/g

describe('the command line', () => {
  test('keys generate prints a key that BOOTSTRAP_KEY accepts, even before the first start', async () => {
    const { code, out } = await line.gleaner('keys generate', { env: { DATA_DIR: BACK_IN_TIME } })
    expect([code, isApiKey(out.trim())]).toEqual([0, true])
    expect(existsSync(BACK_IN_TIME)).toBe(false)
  })

  test('gleaner without a command prints the help to stderr and exits with 2', async () => {
    const { code, out, err } = await line.gleaner('')
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('Usage: gleaner [options] [command]')
  })

  test('--help lists every command and exits with 0', async () => {
    for (const words of ['--help', '-h', 'help']) {
      const { code, out } = await line.gleaner(words)
      expect(code).toBe(0)
      for (const { name, about } of allCommands()) {
        const [group, command] = name.split(' ')
        if (command) expect(out).toMatch(new RegExp(`^ +${group} .*\\b${command}\\b`, 'm'))
        else expect(out).toMatch(new RegExp(`^ +${name} .*${about.slice(0, 20)}`, 'm'))
      }
    }
  })

  test('the help of a command describes it and lists each of its options', async () => {
    for (const { name, about, options } of allCommands()) {
      for (const words of [`${name} --help`, `${name} -h`]) {
        const { code, out } = await line.gleaner(words)
        expect(code).toBe(0)
        expect(out).toContain(`Usage: gleaner ${name}`)
        expect(out).toContain(about)
        for (const option of options) expect(out).toContain(option)
      }
    }
    expect((await line.gleaner('help grant')).out).toContain('Usage: gleaner grant')
  })

  test('the help of a command group lists its commands with their descriptions', async () => {
    for (const words of ['keys --help', 'keys -h', 'keys help', 'help keys']) {
      const { code, out, err } = await line.gleaner(words)
      expect([code, err]).toEqual([0, ''])
      expect(out).toContain('Usage: gleaner keys')
      for (const { name, about } of allCommands()) if (name.startsWith('keys ')) expect(out).toContain(about)
    }
    expect((await line.gleaner('keys')).code).toBe(2)
  })

  test('a usage error exits with 2 and names the mistake or the nearest valid word', async () => {
    const mistakes: [string, string][] = [
      ['sreve', "unknown command 'sreve'\n(Did you mean serve?)"],
      ['kyes', 'Did you mean keys?'],
      ['keys lst', 'Did you mean list?'],
      ['sreve --help', "unknown command 'sreve'"],
      ['help sreve', "unknown command 'sreve'"],
      ['keys lst --help', "unknown command 'lst'"],
      ['keys list --acount acc_1', 'Did you mean --account?'],
      ['keys list --account', "option '--account <account>' argument missing"],
      ['keys list --json=yes', "unknown option '--json=yes'"],
      ['keys list more', 'Expected 0 arguments but got 1'],
      ['keys list --account nobody', 'An account id starts with acc_'],
      ['keys create --scopes runs,root', '"root" is not a scope'],
      ['keys create --expires tomorrow', "argument 'tomorrow' is invalid. It must be in the future"],
      ['keys create --expires 2020-01-01T00:00:00Z', 'It must be in the future'],
      [`keys create --name ${'x'.repeat(101)}`, 'It must have 1 to 100 characters.'],
      ['keys revoke', "missing required argument 'key_id'"],
      ['keys revoke key_1', 'A key id starts with key_'],
      ['grant default', "missing required argument 'amount'"],
      ['grant default 0', 'from 1 to 1000000000'],
      ['grant default 1.5', 'from 1 to 1000000000'],
      ['grant default -5', 'from 1 to 1000000000'],
      ['grant default 1000000001', 'from 1 to 1000000000'],
      [`grant default 1 --reason ${'x'.repeat(201)}`, 'It must have 1 to 200 characters.'],
      ['rebuild rusn', "command-argument value 'rusn' is invalid"],
      ['events tail --types RunRequestd', 'did you mean "RunRequested"?'],
      ['events tail --after 5', '"5" is not a position of this log'],
    ]
    for (const [words, said] of mistakes) {
      const { code, out, err } = await line.gleaner(words)
      expect([words, code, out]).toEqual([words, 2, ''])
      expect(err).toStartWith('gleaner: ')
      expect(err).toContain(said)
      expect(err).toEndWith('Add --help for usage.\n')
    }
  })

  test('a command on a missing data folder creates nothing and exits with 1', async () => {
    const missing = join(line.folder, BACK_IN_TIME)
    for (const words of ['keys list', 'grant default 5', 'rebuild', 'events tail']) {
      const { code, err } = await line.gleaner(words, { env: { DATA_DIR: missing } })
      expect(code).toBe(1)
      expect(err).toContain(`DATA_DIR ${missing} holds no data`)
    }
    expect(existsSync(missing)).toBe(false)
  })

  test('an invalid setting is named, nothing is served, and the exit code is 1', async () => {
    const { code, err } = await line.gleaner('serve', { env: { PORT: 'x' } })
    expect(code).toBe(1)
    expect(err).toContain('PORT is "x", but must be a whole number')
    expect(line.served).toEqual([])
  })
})

test('serve passes --roles on with the settings', async () => {
  expect((await line.gleaner('serve --roles api,worker')).code).toBe(0)
  const [config] = line.served
  expect([...(config?.roles ?? [])]).toEqual(['api', 'worker'])
  expect((await line.gleaner('serve --roles boss')).err).toContain('ROLES is "boss"')
})

test('--version prints the version and the runtime', async () => {
  const { code, out } = await line.gleaner('--version')
  expect(code).toBe(0)
  expect(out).toMatch(/^gleaner \d+\.\d+\.\d+(-rc\.\d+)? \((Bun|Deno) \d/)
})

describe('keys', () => {
  test('create prints a key that works at once with its scopes, and list does not show it again', async () => {
    const creation = await line.gleaner([
      'keys',
      'create',
      '--name',
      'night shift',
      '--scopes',
      'events,runs',
    ])
    expect(creation.code).toBe(0)
    expect(creation.out).toMatch(/^gln_\S+\n$/)
    const key = creation.out.trim()
    const principal = await withServices(line.folder, async (_, keys) => keys.authenticate(key))
    expect(principal).toMatchObject({ accountId: DEFAULT_ACCOUNT, scopes: ['events', 'runs'] })
    const list = await line.gleaner('keys list')
    expect(list.out).toContain('night shift')
    expect(list.out.match(KEY)).toBeNull()
  })

  test('create --json and list --json print the same record of a key', async () => {
    const keyRecord = JSON.parse(
      (await line.gleaner('keys create --json --expires 2999-01-01T00:00:00Z')).out,
    )
    expect(keyRecord).toMatchObject({
      scopes: ['runs'],
      expires_at: '2999-01-01T00:00:00.000Z',
      revoked_at: null,
    })
    const { api_key, ...record } = keyRecord
    expect(api_key).toStartWith(keyRecord.prefix)
    const { keys } = JSON.parse((await line.gleaner('keys list --json')).out)
    expect(keys).toContainEqual(record)
  })

  test('a revoked key is refused, and revoking it again prints the same', async () => {
    const { key_id, api_key } = JSON.parse((await line.gleaner('keys create --json')).out)
    const first = await line.gleaner(`keys revoke ${key_id}`)
    expect(first.code).toBe(0)
    expect((await line.gleaner(`keys revoke ${key_id}`)).out).toBe(first.out)
    const refusal = await withServices(line.folder, async (_, keys) => keys.authenticate(api_key))
    expect(refusal).toBe('revoked-key')
  })

  test('revoke refuses to revoke the last admin key without --force', async () => {
    const own = await commandLine()
    try {
      const { keys } = JSON.parse((await own.gleaner('keys list --json')).out)
      const { key_id } = keys[0]
      const refused = await own.gleaner(`keys revoke ${key_id}`)
      expect(refused.code).toBe(1)
      expect(refused.err).toContain('the last admin key')
      expect((await own.gleaner(`keys revoke ${key_id} --force`)).code).toBe(0)
    } finally {
      own.remove()
    }
  })

  test('an unknown account or key exits with 1', async () => {
    const none = 'acc_00000000000000000000000000'
    for (const words of [`keys list --account ${none}`, `keys create --account ${none}`, `grant ${none} 5`]) {
      const { code, err } = await line.gleaner(words)
      expect([code, err]).toEqual([1, expect.stringContaining(`Unknown account ${none}`)])
    }
    expect((await line.gleaner('keys revoke key_00000000000000000000000000')).code).toBe(1)
  })
})

test('grant adds to the balance and records its reason', async () => {
  const before = await balance()
  const { code, out } = await line.gleaner(['grant', 'default', '500', '--reason', 'July'])
  expect([code, out]).toEqual([0, `${DEFAULT_ACCOUNT} now has ${before + 500} credits\n`])
  const events = await tail('--types CreditsGranted')
  expect(events.at(-1)?.data).toMatchObject({ amount: 500, balance_after: before + 500, reason: 'July' })
})

async function balance(): Promise<number> {
  const booked = await tail('--types CreditsGranted,CreditsCharged,CreditsRefunded')
  return booked.at(-1)?.data.balance_after as number
}

type Line = { type: string; sequence: string; subject: string; data: Record<string, unknown> }
const tail = async (options: string): Promise<Line[]> => {
  const { out } = await line.gleaner(`events tail --json ${options}`)
  return out
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text))
}

describe('events tail', () => {
  test('prints all events from the first one, or those after a position', async () => {
    const all = await tail('')
    expect(all[0]).toMatchObject({ type: 'gleaner.AccountOpened', subject: `account-${DEFAULT_ACCOUNT}` })
    const after = all[1]?.sequence
    expect(await tail(`--after ${after}`)).toEqual(all.slice(2))
    const plain = await line.gleaner('events tail')
    expect(plain.out.trimEnd().split('\n')).toHaveLength(all.length)
  })

  test('prints no key', async () => {
    const { out } = await line.gleaner('events tail')
    expect(out).toContain('KeyCreated')
    expect(out.match(KEY)).toBeNull()
    expect(out).not.toContain(line.key)
  })

  test('--follow prints events of another process until it is stopped', async () => {
    const stop = new AbortController()
    const firstLine = Promise.withResolvers<string>()
    const following = line.gleaner('events tail --after now --follow --types CreditsGranted', {
      signal: stop.signal,
      hear: firstLine.resolve,
    })
    await line.gleaner('grant default 7')
    expect(await firstLine.promise).toContain('"amount":7')
    stop.abort()
    expect((await following).code).toBe(0)
  })
})

describe('rebuild', () => {
  const rows = () =>
    withServices(line.folder, async ({ readModels }) =>
      readModels.list(projections.find(({ name }) => name === 'ledger')!, 'by_account', {
        equals: [DEFAULT_ACCOUNT],
        order: 'ascending',
        limit: 500,
      }),
    )

  test('restores the rows of all read models, or of the named ones', async () => {
    const before = await rows()
    expect(before.length).toBeGreaterThan(0)
    const all = await line.gleaner('rebuild')
    expect([all.code, all.out]).toEqual([0, `rebuilt ${projections.map(({ name }) => name).join(', ')}\n`])
    expect((await line.gleaner('rebuild ledger')).out).toBe('rebuilt ledger\n')
    expect(await rows()).toEqual(before)
  })

  test('rebuilds nothing and exits with 1 when a named read model is not used with the embedded log', async () => {
    for (const words of ['rebuild account_events', 'rebuild account_events ledger']) {
      const { code, out, err } = await line.gleaner(words)
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain('account_events: only used with EVENTSTORE_URL')
      expect(err).toContain('Nothing was rebuilt.')
    }
  })

  test('prints a progress bar on a terminal and lines elsewhere', async () => {
    expect((await line.gleaner('rebuild', { terminal: true })).err).toMatch(/█{30} 100% .*\n$/)
    expect((await line.gleaner('rebuild')).err).toMatch(/^rebuild: 100% {2}\d+ events/)
  })
})

describe('doctor', () => {
  const PORT = { PORT: '0' }

  test('finds nothing wrong on a complete installation, and makes the browser load a page', async () => {
    const { code, out } = await line.gleaner('doctor', { env: PORT })
    expect(out).not.toMatch(/^fail/m)
    expect(code).toBe(0)
    for (const what of ['runtime', 'settings', 'data folder', 'clock', 'event log', 'address', 'tasks'])
      expect(out).toMatch(new RegExp(`^(ok|warn) +${what}`, 'm'))
    const browser = executable === undefined ? /^warn +browser +no Chromium/m : /^ok +browser .* loads pages/m
    expect(out).toMatch(browser)
  })

  const findingsOf = async (env: Record<string, string>) => {
    // Tests of other checks start no browser: its start takes most of the doctor's time.
    const CHROMIUM_PATH = join(line.folder, 'no-browser')
    const { code, out } = await line.gleaner('doctor --json', { env: { ...PORT, CHROMIUM_PATH, ...env } })
    const { findings } = JSON.parse(out) as { findings: { level: string; what: string; words: string }[] }
    return { code, of: (what: string) => findings.find((finding) => finding.what === what) }
  }

  test('says which sources take which way out, and what a way out lacks, without its URL', async () => {
    const ways = {
      PROXY_URL: 'http://u:hunter2@a.example',
      PROXY_HOME: 'http://u-{country}:hunter2@gw.example',
      SOURCE_VIDEO_PROXY: 'direct',
      SOURCE_FORUM_PROXY: 'home',
    }
    const lacking = await findingsOf(ways)
    expect([lacking.code, lacking.of('ways out')?.level]).toEqual([1, 'fail'])
    expect(lacking.of('ways out')?.words).toMatch(/^SOURCE_FORUM_COUNTRY is required: (?!.*hunter2)/)
    const finding = (await findingsOf({ ...ways, SOURCE_FORUM_COUNTRY: 'de' })).of('ways out')
    expect(finding?.level).toBe('ok')
    expect(finding?.words).toMatch(
      /^default: [a-z_, ]+; home: forum; .*direct: video|direct: video.*home: forum/,
    )
    const unused = (await findingsOf({ PROXY_HOME: 'http://u:hunter2@a.example' })).of('ways out')
    expect(unused?.level).toBe('warn')
    expect(unused?.words).toMatch(/^direct: [a-z_, ]+\. No source takes home: SOURCE_<FAMILY>_PROXY /)
    const ignored = (await findingsOf({ PROXY_PORT: 'tcp://10.0.0.1:3128' })).of('ways out')
    expect(ignored).toMatchObject({
      level: 'warn',
      words:
        "all sources are reached directly. PROXY_PORT has no effect: it is no proxy's URL, and no source names it",
    })
    const inVain = (
      await findingsOf({ PROXY_HOME: 'http://u:hunter2@a.example', SOURCE_FORM_PROXY: 'home' })
    ).of('ways out')
    expect(inVain?.level).toBe('warn')
    expect(inVain?.words).toMatch(
      /^direct: [a-z_, ]+\. SOURCE_FORM_PROXY has no effect: no source has the name form$/,
    )
  })

  test('says how old the recordings of each plugin are', async () => {
    const PLUGINS_DIR = join(line.folder, 'plugins')
    const fixtures = join(PLUGINS_DIR, 'shop', 'fixtures')
    mkdirSync(fixtures, { recursive: true })
    symlinkSync(join(import.meta.dirname, 'plugins/shop/source.ts'), join(PLUGINS_DIR, 'shop', 'source.ts'))
    const dayOf = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10)
    const notes = [
      `Recorded on ${dayOf(40)}. Replaced by REDACTED: cookie.`,
      `Recorded on ${dayOf(7)}.`,
      'Sample.',
    ]
    for (const [i, note] of notes.entries())
      writeFileSync(
        join(fixtures, `${i}.json`),
        JSON.stringify({ task: 'shop.search', input: {}, note, exchanges: [] }),
      )
    const { of } = await findingsOf({ PLUGINS_DIR })
    expect(of('cassettes of shop')?.words).toMatch(/^3, [678] to (?:39|40|41) days old; 1 without a date$/)
    expect(of('cassettes of encyclopedia')?.words).toBe('1, without a date')
  })

  test('warns when nothing tries the tasks each day', async () => {
    expect((await findingsOf({})).of('canary')).toMatchObject({ level: 'warn' })
    expect((await findingsOf({ CANARY: 'daily' })).of('canary')).toMatchObject({ level: 'ok' })
  })

  test('warns when the User-Agent names no contact, with the sources that are slower for it', async () => {
    expect((await findingsOf({ PUBLIC_URL: 'http://localhost:3000' })).of('contact')).toMatchObject({
      level: 'warn',
      words: expect.stringMatching(/names nobody: .*\(here: [a-z_, ]*encyclopedia.*Set CONTACT/),
    })
    expect((await findingsOf({ CONTACT: 'ops@example.org' })).of('contact')).toMatchObject({
      level: 'ok',
      words: expect.stringContaining('ops@example.org'),
    })
  })

  test('reports an invalid setting', async () => {
    const { code, of } = await findingsOf({ LEASE_S: 'soon' })
    expect(code).toBe(1)
    expect(of('settings')).toMatchObject({
      level: 'fail',
      words: expect.stringContaining('LEASE_S is "soon"'),
    })
  })

  test('warns of a data folder that other users of the machine can list', async () => {
    const DATA_DIR = join(line.folder, 'open')
    mkdirSync(DATA_DIR, { mode: 0o755 })
    const { of } = await findingsOf({ DATA_DIR })
    expect(of('data folder')).toMatchObject({
      level: 'warn',
      words: expect.stringContaining(
        `its mode is 755, so other users of this machine can list it: chmod 700 ${DATA_DIR}`,
      ),
    })
    chmodSync(DATA_DIR, 0o700)
    expect((await findingsOf({ DATA_DIR })).of('data folder')?.level).toBe('ok')
  })

  test('reports a data folder that cannot be written', async () => {
    const file = join(line.folder, 'a-file')
    writeFileSync(file, '')
    for (const DATA_DIR of ['/proc/nothing/here', join(file, 'data')]) {
      const { of } = await findingsOf({ DATA_DIR })
      expect(of('data folder')?.level).toBe('fail')
    }
  })

  test.each([
    { workerConcurrency: 64, level: 'ok', advice: '' },
    { workerConcurrency: 65, level: 'warn', advice: ': set WORKER_CONCURRENCY to 64 or less' },
  ])(
    'says that 1 GiB of memory allows 64 runs: $level for $workerConcurrency',
    ({ workerConcurrency, level, advice }) => {
      const words = `${workerConcurrency}; 1024 MiB of memory allow 64, at about 16 MiB a run${advice}`
      expect(runsAtOnce({ workerConcurrency }, 1024 ** 3) as unknown).toEqual({
        what: 'runs at once',
        level,
        words,
      })
    },
  )

  test('says nothing about runs at once without the role worker', async () => {
    expect((await findingsOf({ ROLES: 'api' })).of('runs at once')).toBeUndefined()
    const { of } = await findingsOf({ WORKER_CONCURRENCY: '1' })
    expect(of('runs at once')).toMatchObject({ level: 'ok', words: expect.stringMatching(/^1; \d+ MiB/) })
  })

  test('reports a browser that does not run', async () => {
    const { code, of } = await findingsOf({})
    expect([code, of('browser')?.level]).toEqual([1, 'fail'])
  })

  test('starts the browser, and reports that it cannot create a sandbox though --version works', async () => {
    const path = join(line.folder, 'chromium')
    const script = `#!/bin/sh
[ "$1" = --version ] && exec echo 'Chromium 156.0.1.2'
echo '[9:9:ERROR:zygote_host_impl_linux.cc:130] No usable sandbox! If you are running on' >&2
exit 1
`
    writeFileSync(path, script, { mode: 0o755 })
    const { code, of } = await findingsOf({ CHROMIUM_PATH: path })
    expect([code, of('browser')?.level]).toEqual([1, 'fail'])
    expect(of('browser')?.words).toStartWith(`${path} does not start: it cannot create a sandbox.`)
    writeFileSync(path, script.replace('No usable sandbox!', 'No way'), { mode: 0o755 })
    expect((await findingsOf({ CHROMIUM_PATH: path })).of('browser')?.words).toMatch(
      /does not work: (?!.*sandbox\.)/,
    )
  })

  test('names the user who must own a folder when writing to it is refused', () => {
    const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    expect(whyNotWritten(refused)).toContain(`must belong to the user with the id ${process.getuid?.()}`)
    expect(whyNotWritten(new Error('ENOSPC: no space'))).toBe('ENOSPC: no space')
  })

  test('reports an unreachable back end without its password', async () => {
    const { of } = await findingsOf({
      EVENTSTORE_URL: 'esdb://user:hunter2@127.0.0.1:1?tls=false',
      REDIS_URL: 'redis://user:hunter2@127.0.0.1:1',
      VAULT_KEY: `${'A'.repeat(43)}=`,
    })
    for (const store of ['event store', 'redis']) {
      expect(of(store)?.level).toBe('fail')
      expect(JSON.stringify(of(store))).not.toContain('hunter2')
    }
  })

  test('does not warn about an address where the server of this folder answers', async () => {
    const headers = { 'x-request-id': 'req_0' }
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('{}', { headers }) })
    const env = { PORT: String(server.port) }
    const unlock = lockFolder(line.folder)
    expect((await findingsOf(env)).of('address')).toMatchObject({ level: 'ok' })
    unlock()
    const words = expect.stringContaining('another DATA_DIR')
    expect((await findingsOf(env)).of('address')).toMatchObject({ level: 'warn', words })
  })

  test('reports a port that is in use', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await new Promise((go) => server.once('listening', go))
    const { port } = server.address() as { port: number }
    expect((await findingsOf({ PORT: String(port) })).of('address')?.words).toContain('is in use')
    server.close()
  })

  test('reads all databases with --deep, and names a damaged one with what to do', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'gleaner-damaged-'))
    try {
      await (await openStores(readConfig({ DATA_DIR }))).close()
      const path = join(DATA_DIR, 'webhooks.db')
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.fill(0xff, 4096))
      const of = async (options: string) => {
        const env = { ...PORT, DATA_DIR, CHROMIUM_PATH: join(DATA_DIR, 'no-browser') }
        const { out } = await line.gleaner(`doctor --json ${options}`, { env })
        return (JSON.parse(out) as { findings: { level: string; what: string; words: string }[] }).findings
      }
      expect((await of('')).filter(({ what }) => what.endsWith('.db'))).toEqual([])
      const findings = await of('--deep')
      expect(findings).toContainEqual(expect.objectContaining({ what: 'log.db', level: 'ok' }))
      expect(findings).toContainEqual({
        what: 'webhooks.db',
        level: 'fail',
        words: expect.stringMatching(/webhooks\.db is damaged .*delete the file/),
      })
    } finally {
      rmSync(DATA_DIR, { recursive: true })
    }
  })

  test('reports a plugin that cannot be loaded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gleaner-plugins-'))
    try {
      await Bun.write(join(folder, 'broken', 'source.ts'), 'throw new Error("broken on purpose")')
      const { of } = await findingsOf({ PLUGINS_DIR: folder })
      expect(of('plugin')?.words).toContain('broken on purpose')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
