import { describe, expect, test } from 'bun:test'
import { credentialsOf, readConfig } from '../../src/config.ts'
import { mistake } from './mistake.ts'

const VAULT_KEY = Buffer.alloc(32, 7).toString('base64')

describe('an invalid setting', () => {
  const wrong: Record<string, readonly string[]> = {
    PORT: ['-1', '65536', '80.5', 'http', '1e3', '0x50', 'NaN'],
    HOST: ['[::1]', 'two words', 'host/path', 'ann@host', 'host?x', 'host#x'],
    PUBLIC_URL: [
      ...['example.org', 'ftp://example.org', 'http://'],
      ...['https://example.org?page=1', 'https://example.org/#top', 'https://ann@example.org'],
      ...['https://example.org/?', 'https://example.org#'],
    ],
    MAIL_FROM: ['Gleaner', '@example.org', 'Gleaner <gleaner@>'],
    ROLES: ['boss', 'api,', 'api;worker', 'API'],
    BOOTSTRAP_CREDITS: ['-5', '1.5', '1000000001'],
    WORKER_CONCURRENCY: ['0', '1001', 'many'],
    RUNS_PER_PROCESS: ['0', '1001', '1.5'],
    BROWSER_PAGES: ['0', '1001', 'all'],
    ACCOUNT_CONCURRENCY: ['-1', '0.5'],
    RATE_KICKOFF: ['-1', 'none'],
    RATE_READ: ['1,000'],
    RATE_ADMIN: ['∞'],
    SYNC_WAIT_S: ['3601', '1m'],
    QUEUE_LIMIT_S: ['0'],
    RUN_LIMIT_S: ['0'],
    LEASE_S: ['0', '0.4'],
    SHUTDOWN_GRACE_S: ['-1'],
    RESULT_RETENTION_DAYS: ['36501'],
    RUN_FILES_LIMIT_MB: ['0', '1.5'],
    DISK_FREE_MIN_MB: ['-1', '1.5'],
    LOG_LEVEL: ['loud'],
    TRUSTED_PROXIES: [
      'proxy.example',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.1;10.0.0.2',
      '::1/129',
      '10.0.0.1,',
    ],
    WEBHOOK_ALLOW_HOSTS: [
      'https://hooks.example',
      'hooks..example',
      '10.0.0.0/33',
      '*.example',
      'a b',
      'hooks.example,',
    ],
    WEBHOOK_RETRIES_S: ['soon', '5,,6', '-1', '1.5', '5;6', Array(21).fill('1').join()],
    PLUGINS_DIR: ['/no/such/folder', import.meta.path],
    SOURCE_FORUM_ORIGIN: ['forum.example.org', 'https://user@example.org', 'https://example.org/?a=b'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    test(`${name} is named with its value`, () => {
      for (const value of values) {
        const message = mistake({ [name]: value })
        expect(message).toStartWith(`${name} is ${JSON.stringify(value)}, but must be `)
      }
    })
  }

  test('is named without its value when it may be a secret', () => {
    const secret = 'hunter2:hunter2'
    for (const name of ['OPERATOR_KEY', 'VAULT_KEY', 'EVENTSTORE_URL', 'REDIS_URL', 'S3_URL', 'PROXY_URL']) {
      const message = mistake({ [name]: secret })
      expect(message).toStartWith(name)
      expect(message).not.toContain('hunter2')
    }
  })

  test('is shown without the password in its URL', () => {
    for (const name of ['SOURCE_FORUM_ORIGIN', 'PUBLIC_URL']) {
      const message = mistake({ [name]: 'ftp://user:hunter2@example.org/' })
      expect(message).toStartWith(`${name} is "ftp://user:…@example.org/"`)
    }
    for (const url of ['https://user:hunter2@example.org', 'https://:hunter2@example.org'])
      expect(mistake({ SOURCE_FORUM_ORIGIN: url })).not.toContain('hunter2')
  })

  test('is a missing VAULT_KEY beside EVENTSTORE_URL', () => {
    const shared = { EVENTSTORE_URL: 'esdb://localhost:2113', REDIS_URL: 'redis://localhost' }
    expect(mistake(shared)).toStartWith('VAULT_KEY is required')
    expect(readConfig({ ...shared, VAULT_KEY }).vaultKey).toBe(VAULT_KEY)
  })

  test.each([
    ['EVENTSTORE_URL', 'esdb://localhost:2113', 'REDIS_URL'],
    ['REDIS_URL', 'redis://localhost', 'EVENTSTORE_URL'],
  ])('is %s without its counterpart', (name, held, missing) => {
    expect(mistake({ [name]: held, VAULT_KEY })).toBe(
      `${name} is set but ${missing} is not. Set both to share stores between processes, or neither to run one process on DATA_DIR.`,
    )
  })
})

test('an empty setting counts as not set', () => {
  const empty = { PORT: '', ROLES: ' ', OPERATOR_KEY: '', SOURCE_FORUM_ORIGIN: '', DATA_DIR: '' }
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test('--roles overrides ROLES', () => {
  expect([...readConfig({ ROLES: 'api' }, { roles: 'worker, projector' }).roles]).toEqual([
    'worker',
    'projector',
  ])
})

test('origins are keyed by family in lower case, and keep their path without a trailing slash', () => {
  const { sourceOrigins } = readConfig({ SOURCE_REALTY_A_ORIGIN: 'http://127.0.0.1:8080/prefix/' })
  expect([...sourceOrigins]).toEqual([['realty_a', 'http://127.0.0.1:8080/prefix']])
})

test.each(['gleaner@example.org', 'Gleaner <gleaner@example.org>', '"Gleaner, Inc." <g@localhost>'])(
  'MAIL_FROM takes %s',
  (from) => {
    expect(readConfig({ MAIL_FROM: from }).mailFrom).toBe(from)
  },
)

test('PUBLIC_URL defaults to HOST and PORT, and loses its trailing slash', () => {
  expect(readConfig({ HOST: '0.0.0.0', PORT: '8080' }).publicUrl).toBe('http://localhost:8080')
  expect(readConfig({ HOST: '::1' }).publicUrl).toBe('http://[::1]:3000')
  expect(readConfig({ PUBLIC_URL: 'https://api.example.org/x/' }).publicUrl).toBe('https://api.example.org/x')
})

test.each([
  [{}, null],
  [{ PUBLIC_URL: 'https://api.example.org/x' }, 'https://api.example.org/x'],
  [{ PUBLIC_URL: 'http://localhost:3000' }, null],
  [{ PUBLIC_URL: 'http://192.0.2.7' }, null],
  [{ PUBLIC_URL: 'http://gleaner.internal' }, null],
  [{ PUBLIC_URL: 'http://gleaner' }, null],
  [{ PUBLIC_URL: 'http://gleaner.localhost:3000' }, null],
  [{ PUBLIC_URL: 'http://gleaner.local.' }, null],
  [{ PUBLIC_URL: 'http://gleaner.test' }, null],
  [{ CONTACT: 'ops@example.org' }, 'ops@example.org'],
  [{ CONTACT: 'https://example.org/bot', PUBLIC_URL: 'http://10.0.0.1' }, 'https://example.org/bot'],
])('the contact of %j is %p: never an address that strangers cannot reach', (env, contact) => {
  expect(readConfig(env).contact).toBe(contact)
})

test.each([
  'ops',
  'ops@localhost',
  'ops@mail.localhost',
  'http://127.0.0.1',
  'ftp://example.org',
  'a b@example.org',
  'https://[::1]/',
])('CONTACT must not be %s', (contact) => {
  expect(() => readConfig({ CONTACT: contact })).toThrow('CONTACT is')
})

describe('credentials of a source', () => {
  const names = ['OAUTH_ID', 'OAUTH_SECRET']
  const of = (env: Record<string, string>) => credentialsOf(readConfig(env), 'realty_a', names)

  test('are read by the names that its plugin declares', () => {
    const both = { SOURCE_REALTY_A_OAUTH_ID: ' id ', SOURCE_REALTY_A_OAUTH_SECRET: 'secret' }
    expect(of(both)).toEqual({ OAUTH_ID: 'id', OAUTH_SECRET: 'secret' })
    expect(of({ SOURCE_REALTY_B_OAUTH_ID: 'id' })).toBeUndefined()
    expect(credentialsOf(readConfig(both), 'realty_a')).toBeUndefined()
  })

  test('must be set together, and the error shows none of them', () => {
    expect(() => of({ SOURCE_REALTY_A_OAUTH_SECRET: 'hush' })).toThrow(
      'SOURCE_REALTY_A_OAUTH_SECRET is set but SOURCE_REALTY_A_OAUTH_ID is not. Set both, or neither.',
    )
  })
})
