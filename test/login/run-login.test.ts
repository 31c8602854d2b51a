/** The login of a run while it is changed concurrently, and while stores other than the log are unavailable. */
import { expect, test } from 'bun:test'
import { KeyedMutex } from '../../src/async/keyed-mutex.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import type { ReadyLogin } from '../../src/domain/login.ts'
import type { LeasedRun } from '../../src/domain/run.ts'
import { StoreUnavailable } from '../../src/log/event-log.ts'
import { RunLogin, type RunLoginDeps } from '../../src/login/run-login.ts'
import { quiet } from '../worker/quiet.ts'

const run = { runId: 'run_1' as RunId, accountId: 'acc_1' as AccountId, correlationId: 'c' } as LeasedRun
const task = {
  declaration: { needs: { login: true } },
  source: { name: 'site', login: { url: '/', signedIn: { cookies: ['s'] }, check: { url: '/home' } } },
} as unknown as CatalogueTask
const ready = (ref: string): ReadyLogin => ({ ref, since: 0, requestedBy: null, validUntil: null })
const STATE = '{"cookies":[]}'

function loginWith(more: Partial<RunLoginDeps>): RunLogin {
  const deps: RunLoginDeps = {
    logins: { usable: async () => ready('one'), extend: async () => true, reject: async () => {} },
    ephemeral: { lastUsed: async () => [3_600_000], used: () => {} },
    vault: { load: async () => STATE, replace: async () => {}, remove: async () => {} },
    saving: new KeyedMutex(),
    logger: quiet,
    now: () => 3_600_000,
    ...more,
  }
  return new RunLogin(deps, run, task, 'cause')
}

test('a run whose login is replaced while it is loaded begins with the new one', async () => {
  let current = 'one'
  const rejected: string[] = []
  const login = loginWith({
    logins: {
      usable: async () => ready(current),
      extend: async () => true,
      reject: async (_account, _source, { ref }) => void rejected.push(ref),
    },
    vault: {
      async load(_account, _source, ref) {
        // Somebody signs in again at this moment, and the previous state is destroyed.
        if (ref === 'one') current = 'two'
        return ref === 'one' ? undefined : STATE
      },
      replace: async () => {},
      remove: async () => {},
    },
  })
  expect(await login.find()).toBe(true)
  expect(login.job).toEqual({ cookies: [], check: false })
  expect(rejected).toEqual(['one'])
})

test('a run begins and ends although the last check of its login cannot be read', async () => {
  const away = () => Promise.reject(new StoreUnavailable('away'))
  const login = loginWith({ ephemeral: { lastUsed: away, used: () => {} } })
  expect(await login.find()).toBe(true)
  // It is unknown when the login was last checked, so it is checked now.
  expect(login.job?.check).toBe(true)
  expect(await login.judge({ status: 'succeeded', code: null })).toMatchObject({ status: 'succeeded' })
})
