/** The photo export with a login, in real worker processes: which hosts get its cookies, and a refused login. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { page, user } from '../../../plugins/photo/fixtures/sample.ts'
import { PLUGINS } from '../../../src/catalogue/catalogue.ts'
import type { AccountId } from '../../../src/domain/ids.ts'
import { answerOf } from '../../../src/plugin/testing/exchanges.ts'
import { readCassette } from '../../../src/plugin/testing.ts'
import { matcherOf } from '../../../tools/mock-sites/matching.ts'
import { openStand, type Stand } from '../../worker/stand.ts'

setDefaultTimeout(60_000)

const TASK = 'photo.profile-download'
const { input, exchanges } = readCassette(new URL('fixtures/signed-in.json', `file://${PLUGINS}/photo/`))
/** What visitors see of the profile. */
const hidden = {
  request: '/quiet.shore/',
  ...page('profile', [user({ username: 'quiet.shore', is_private: true })]),
}
const OWN = '/api/v1/users/50000000099/info/'

let stand: Stand
let server: Server
/** the requested paths, each with the cookies of its request */
const requests: { readonly path: string; readonly cookie: string | undefined }[] = []
/** number of answers after which the site says that nobody is signed in */
let answersLeft = Number.POSITIVE_INFINITY
/** whether the site refuses all routes to the profile with 401 */
let isClosed = false

beforeAll(async () => {
  const choose = matcherOf([...exchanges, hidden, { request: OWN, json: { user: { pk: '50000000099' } } }])
  server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request
    requests.push({ path, cookie: request.headers.cookie })
    const isRefused = !path.startsWith('/v/') && answersLeft-- <= 0
    const exchange = choose({ method, path, body: '' })
    if (isClosed && path !== OWN) response.writeHead(401).end()
    else if (isRefused) response.writeHead(403).end('{"message":"login_required","status":"fail"}')
    else if (!exchange) response.writeHead(404).end()
    else {
      const answer = answerOf(exchange)
      response.writeHead(answer.status, [...answer.headers].flat())
      response.end(Buffer.from(await answer.arrayBuffer()))
    }
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  stand = await openStand({ plugins: PLUGINS, pace: { perSecond: 10_000, concurrent: 100 } })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await stand.startWorker({ sourceOrigins: new Map([['photo', origin]]), workerConcurrency: 1 })
})
afterAll(async () => {
  await stand.close()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests.length = 0
  answersLeft = Number.POSITIVE_INFINITY
  isClosed = false
})

/** A signed-in account whose session cookie is valid for all hosts of the site, as the site issues it. */
async function member(): Promise<AccountId> {
  const account = await stand.openAccount()
  const cookie = { path: '/', expires: -1, httpOnly: true, secure: true, sameSite: 'Lax' }
  const cookies = [
    { ...cookie, name: 'sessionid', value: 'canary', domain: '.instagram.com' },
    { ...cookie, name: 'csrftoken', value: 'token', domain: '.instagram.com' },
    { ...cookie, name: 'ds_user_id', value: '50000000099', domain: '.instagram.com' },
  ]
  const ref = await stand.vault.save(account, 'photo', JSON.stringify({ cookies, origins: [] }))
  const cause = { correlationId: 'test', causationId: 'test', now: stand.now() }
  await stand.logins.complete(account, 'photo', { ref, validUntil: null, startedAt: stand.now() }, cause)
  return account
}
const exported = async (account: AccountId) => stand.ended(await stand.request(account, TASK, input))

test('the cookies of a login are sent to the site and never to its media servers', async () => {
  const { run_status, result } = await exported(await member())
  expect([run_status, result.posts_exported, result.media_files]).toEqual(['succeeded', 3, 4])
  const [api, media] = [/^\/api\//, /^\/v\//].map((form) => requests.filter(({ path }) => form.test(path)))
  expect(api?.map(({ cookie }) => cookie)).toEqual(
    Array(3).fill('sessionid=canary; csrftoken=token; ds_user_id=50000000099'),
  )
  expect(media?.length).toBe(6)
  expect(media?.map(({ cookie }) => cookie)).toEqual(Array(6).fill(undefined))
})

test('a login refused during an export is not used again, and the next export runs as a visitor', async () => {
  const account = await member()
  answersLeft = 2
  const { run_status, error, artifacts } = await exported(account)
  expect([run_status, error.code, artifacts.length]).toEqual(['failed', 'source-login-required', 1])
  expect(error.detail).toBe(
    '403: login_required. Send the request again, with a new Idempotency-Key or none: it runs without a login, or with a new one after POST /v1/logins/photo.',
  )
  expect(await stand.logins.usable(account, 'photo')).toBeUndefined()
  answersLeft = Number.POSITIVE_INFINITY
  requests.length = 0
  expect((await exported(account)).error.code).toBe('private')
  expect(requests.map(({ cookie }) => cookie)).toEqual([undefined])
})

test('a login outlasts a profile that refuses it, if it still shows its own account', async () => {
  const account = await member()
  isClosed = true
  const { error } = await exported(account)
  expect([error.code, error.detail]).toEqual([
    'source-blocked',
    expect.stringContaining('the login still works'),
  ])
  expect(requests.at(-1)?.path).toBe(OWN)
  expect(await stand.logins.usable(account, 'photo')).toBeDefined()
})

test('a visitor who is refused is told how to sign in', async () => {
  answersLeft = 0
  const { error } = await exported(await stand.openAccount())
  expect([error.code, error.detail]).toEqual([
    'source-login-required',
    '403: login_required. Sign in first (POST /v1/logins/photo), then send the request again, with a new Idempotency-Key or none.',
  ])
})
