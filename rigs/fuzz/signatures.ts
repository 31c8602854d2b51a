/**
 * Secrets and signatures: only an exact secret is accepted, and anything that differs from the signed or sealed data is
 * refused as documented, never with an unexpected error.
 *
 * @module
 */
import { GleanerError, verifyWebhook } from '../../clients/typescript/src/index.ts'
import { seal, unseal, VaultDamaged } from '../../src/vault/sealing.ts'
import { signatureHeaders } from '../../src/webhooks/sign.ts'
import { ORIGIN, startHouse } from '../../test/console/house.ts'
import { textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddText } from './values.ts'

type Try = (random: Random) => Promise<string>

export async function openSignatures(): Promise<Opened> {
  const house = await startHouse({ env: { LOG_LEVEL: 'silent' } })
  const owner = await house.setUp()
  const { rooms, service, accountId, own } = house
  const cause = { correlationId: 'fuzz', causationId: 'fuzz', now: Date.now() }
  const invited = await rooms.invitations.invite(accountId, 'ben@example.org', 'owner', cause)
  const { apiKey } = await service.deps.keys.create(
    { accountId, name: 'fuzz', scopes: ['runs'], expiresAt: null },
    cause,
  )
  const tries: readonly Try[] = [
    delivery,
    sealed,
    (random) => apiKeys(random, service.send, apiKey),
    (random) => sessions(random, service.send, owner.cookie),
    (random) => origins(random, service.send, owner.cookie, own),
    (random) => links(random, service.send, invited.url.replace(ORIGIN, '')),
  ]
  return { one: (random) => random.pick(tries)(random), close: house.close }
}

/** The text, or often a changed one. */
const maybe = (random: Random, text: string): string =>
  random.chance(0.6) ? text : random.chance(0.7) ? textMutated(random, text) : oddText(random)

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const FORMER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

/** A delivery as a receiver gets it, often changed. */
async function delivery(random: Random): Promise<string> {
  const body = JSON.stringify({ id: 'evt_1', type: 'RunSucceeded', data: { text: 'otter \u{1f4a5}' } })
  const atS = Math.floor(Date.now() / 1000) + random.pick([0, 0, 0, -299, 299, -302, 400])
  const signed = { ...signatureHeaders([SECRET, FORMER], 'evt_1', atS, body) }
  const [id, at] = [maybe(random, signed['webhook-id']), maybe(random, signed['webhook-timestamp'])]
  const payload = maybe(random, body)
  const sent: Record<string, string | undefined> = {
    'webhook-id': id,
    [random.pick(['webhook-timestamp', 'Webhook-Timestamp'])]: at,
    'webhook-signature': maybe(random, signed['webhook-signature']),
  }
  if (random.chance(0.05)) delete sent[random.pick(Object.keys(sent))]
  const secret = random.pick([SECRET, FORMER, [SECRET, FORMER], `whsec_${'A'.repeat(44)}`])
  const isAsSigned =
    id === signed['webhook-id'] &&
    at === signed['webhook-timestamp'] &&
    Buffer.from(payload).equals(Buffer.from(body))
  try {
    await verifyWebhook(random.chance(0.5) ? payload : Buffer.from(payload), sent, secret)
  } catch (error) {
    if (error instanceof GleanerError && error.code === 'invalid-webhook') return 'refused'
    throw error
  }
  const isTheirs = [secret].flat().some((one) => one === SECRET || one === FORMER)
  if (!isAsSigned || !isTheirs)
    throw new Error(`accepted, but never signed: ${JSON.stringify({ sent, payload })}`)
  if (Math.abs(Date.now() / 1000 - atS) > 301) throw new Error(`accepted, but sent at ${atS}`)
  return 'taken'
}

const KEY = Buffer.alloc(32, 3)

/** A sealed object of the vault, or a sealed message between processes during a sign-in. */
async function sealed(random: Random): Promise<string> {
  const plain = Buffer.from(oddText(random))
  const good = seal(KEY, Buffer.alloc(16, 1), plain, 'a/b')
  const bytes = bytesMutated(random, good)
  const path = random.chance(0.9) ? 'a/b' : random.pick(['a/c', '', 'a/b/'])
  const isAsSealed = bytes.equals(good) && path === 'a/b'
  try {
    const opened = unseal(KEY, bytes, path)
    if (!isAsSealed) throw new Error(`opened, but never sealed: ${bytes.toString('hex')} at ${path}`)
    if (!opened.equals(plain)) throw new Error('opened with other content')
    return 'taken'
  } catch (error) {
    if (error instanceof VaultDamaged && !isAsSealed) return 'refused'
    throw error
  }
}

function bytesMutated(random: Random, good: Buffer): Buffer {
  const bytes = Buffer.from(good)
  const kind = random.below(6)
  if (kind === 0) return bytes
  if (kind === 1) return bytes.subarray(0, random.below(bytes.length))
  if (kind === 2) return Buffer.concat([bytes, Buffer.from(oddText(random))])
  if (kind === 3) return Buffer.from(oddText(random))
  const at = random.below(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  return bytes
}

type Send = (path: string, init?: RequestInit) => Promise<Response>

/** @returns undefined for headers that no client can send */
function headersOf(values: Readonly<Record<string, string>>): Headers | undefined {
  try {
    return new Headers(values)
  } catch {
    return undefined
  }
}

async function apiKeys(random: Random, send: Send, key: string): Promise<string> {
  const token = maybe(random, key)
  const scheme = random.pick(['Bearer ', 'Bearer ', 'bearer ', 'Basic ', ''])
  const headers = headersOf({ authorization: scheme + token })
  if (!headers) return 'no request'
  const { status } = await send('/v1/account', { headers })
  if (![200, 401].includes(status)) throw new Error(`the key "${scheme}${token}" was answered ${status}`)
  if (status === 200 && token.trim() !== key) throw new Error(`the key "${token}" was accepted`)
  return status === 200 ? 'taken' : 'refused'
}

async function sessions(random: Random, send: Send, cookie: string): Promise<string> {
  const sent = maybe(random, cookie)
  const headers = headersOf({ accept: 'text/html', cookie: sent })
  if (!headers) return 'no request'
  const { status } = await send('/console/me', { headers })
  if (status !== 200 && status !== 303) throw new Error(`the cookie "${sent}" was answered ${status}`)
  const isThere = sent.split(';').some((pair) => pair.trim() === cookie)
  if (status === 200 && !isThere) throw new Error(`the cookie "${sent}" was accepted`)
  return status === 200 ? 'taken' : 'refused'
}

/** A form that another site makes a person's browser send (CSRF). */
async function origins(random: Random, send: Send, cookie: string, own: string): Promise<string> {
  const origin = random.pick([
    ORIGIN,
    textMutated(random, ORIGIN),
    oddText(random),
    'null',
    `${ORIGIN}.evil.example`,
  ])
  const site = random.pick(['', '', 'cross-site', 'same-site', 'same-origin', 'none', oddText(random)])
  const headers = headersOf({
    cookie,
    origin,
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded',
    ...(site === '' ? {} : { 'sec-fetch-site': site }),
  })
  if (!headers) return 'no request'
  const body = 'name=Shop'
  const { status } = await send(`${own}/settings`, { method: 'POST', headers, body })
  if (![200, 303, 403, 422].includes(status)) throw new Error(`from "${origin}": ${status}`)
  // Browsers send "null" and "same-origin" for a page of the service with a no-referrer policy.
  const isOurs = origin.trim() === ORIGIN || (origin.trim() === 'null' && site === 'same-origin')
  if (status !== 403 && !isOurs && !isSameMachine(origin))
    throw new Error(`from "${origin}" (${site}): ${status}`)
  return status === 403 ? 'refused' : 'taken'
}

/** Until PUBLIC_URL is set, the service accepts both names of this machine as its own. */
const isSameMachine = (origin: string): boolean => origin.trim() === ORIGIN.replace('127.0.0.1', 'localhost')

async function links(random: Random, send: Send, link: string): Promise<string> {
  const token = link.slice(link.lastIndexOf('/') + 1)
  const sent = maybe(random, token)
  const path = `${link.slice(0, -token.length)}${encodeURIComponent(sent.toWellFormed())}`
  const { status } = await send(path, { headers: { accept: 'text/html' } })
  if (status >= 500) throw new Error(`${path} was answered ${status}`)
  if (status === 200 && sent !== token) throw new Error(`${path} was accepted`)
  return status === 200 ? 'taken' : 'refused'
}
