/** The check of a login: which answers confirm it, which refuse it, and which prove nothing. */
import { expect, test } from 'bun:test'
import { Filling } from '../../src/catalogue/filling.ts'
import { replyOf } from '../../src/plugin/run/reply.ts'
import type { Context, Reply } from '../../src/plugin.ts'
import {
  at,
  Blocked,
  defineSource,
  defineTask,
  type LoginCheck,
  LoginNeeded,
  Type,
} from '../../src/plugin.ts'
import { execute } from '../../src/worker/process/child/execution.ts'
import type { TaskEnd } from '../../src/worker/process/from-child.ts'

const reply = (status: number, body: string): Reply =>
  replyOf(status, 'https://lamps.example/', new Headers(), () => new Response(body).body!)

/** Runs a task that throws an error after its start. @returns its end, and the addresses that were asked */
async function endOf(thrown: Error, answer: () => Reply, check: LoginCheck, checksFirst = false) {
  const requests: string[] = []
  const task = defineTask({
    ...{ key: 'lamps.mine', path: '/v1/lamps/mine', title: 'Mine', description: 'My lamps.', price: 1 },
    input: Type.Object({}),
    item: Type.Object({}),
    example: {},
    needs: { login: true },
    // biome-ignore lint/correctness/useYield: it fails before its first item
    async *run() {
      throw thrown
    },
  })
  const source = defineSource({
    ...{ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [task] },
    login: { url: '/in', signedIn: { cookies: ['session'] }, check },
  })
  const context = {
    signal: new AbortController().signal,
    cookie: (name: string) => ({ id: '7/8' })[name],
    fetch: async (url: string) => {
      requests.push(url)
      return answer()
    },
  } as unknown as Context
  const job = { input: '{}', login: { cookies: [], check: checksFirst } } as never
  const loaded = { source, declaration: task, columns: [] } as never
  const items = { add: () => undefined, take: () => ({ text: '', count: 0 }) }
  const end: TaskEnd = await execute({ job, loaded, context, items, filling: new Filling([]), again() {} })
  return { end, requests }
}

const named: LoginCheck = { url: '/me.json', names: (body) => at(body, 'name') !== undefined }
const thrower = (error: Error) => () => {
  throw error
}

test.each<[string, () => Reply, LoginCheck, string]>([
  ['a success', () => reply(200, 'hello'), { url: '/me' }, 'source-blocked'],
  ['a success that names somebody', () => reply(200, '{"name":"ann"}'), named, 'source-blocked'],
  ['a success that names nobody', () => reply(200, '{}'), named, 'source-login-required'],
  ['a page instead of JSON', () => reply(200, '<html>'), named, 'source-blocked'],
  ['401', () => reply(401, ''), { url: '/me' }, 'source-login-required'],
  ['403', () => reply(403, '{}'), named, 'source-login-required'],
  ['a captcha', () => reply(403, '<title>Just a moment...</title>'), named, 'source-blocked'],
  ['a redirect to the sign-in', thrower(new LoginNeeded('to /in')), { url: '/me' }, 'source-login-required'],
  ['another failure', thrower(new Blocked('a captcha')), { url: '/me' }, 'source-blocked'],
])('after a refusal, %s decides whether the login is given up', async (_, answer, check, code) => {
  const { end, requests } = await endOf(new LoginNeeded('sign in'), answer, check)
  expect(end).toMatchObject({ status: 'failed', code })
  expect(requests).toEqual([check.url])
})

test('the address of a check holds a cookie of the login', async () => {
  const { requests } = await endOf(new LoginNeeded(), () => reply(200, ''), { url: '/users/{id}/info/' })
  expect(requests).toEqual(['/users/7%2F8/info/'])
})

test('another error needs no check', async () => {
  const { end, requests } = await endOf(new Blocked('a captcha'), () => reply(401, ''), { url: '/me' })
  expect([end, requests]).toEqual([{ status: 'failed', code: 'source-blocked', detail: 'a captcha' }, []])
})

test('a login that is refused before the run is asked about once', async () => {
  const { end, requests } = await endOf(new Blocked('never'), () => reply(401, ''), { url: '/me' }, true)
  expect(end).toMatchObject({ status: 'failed', code: 'source-login-required' })
  expect(requests).toEqual(['/me'])
})

test('a defect of a check ends the run as a defect', async () => {
  const check: LoginCheck = { url: '/me', names: thrower(new TypeError('no body')) as never }
  const { end } = await endOf(new LoginNeeded(), () => reply(200, '{}'), check)
  expect(end).toMatchObject({ status: 'errored', code: 'defect' })
})
