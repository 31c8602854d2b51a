/**
 * The console on a service for tests, and visitors who use it like browsers without scripts.
 *
 * @module
 */
import { expect } from 'bun:test'
import { quickPasswords } from '../../rigs/support/quick-passwords.ts'
import { createConsole } from '../../src/console/console.ts'
import type { PageDeps } from '../../src/console/visitor.ts'
import { type App, routesOf } from '../../src/http/api.ts'
import { Images } from '../../src/images/images.ts'
import { DEFAULT_ACCOUNT } from '../../src/keys/bootstrap.ts'
import { Exits } from '../../src/net/exits/exits.ts'
import { limitsOfHosts, paceSettingsOf } from '../../src/net/pace.ts'
import { rateLimiterOf } from '../../src/net/rate-limiter.ts'
import type { Transport } from '../../src/net/transport/transport.ts'
import { openPeople } from '../../src/people/open.ts'
import { providerOf } from '../../src/people/provider.ts'
import type { Source } from '../../src/plugin.ts'
import type { Stores } from '../../src/stores.ts'
import { type Service, type ServiceOptions, startService } from '../http/service.ts'

quickPasswords()

export const ORIGIN = 'http://127.0.0.1:3000'
export const PASSWORD = 'correct horse battery'

export type House = Awaited<ReturnType<typeof startHouse>>
export type Visitor = ReturnType<typeof visitorOf>

/** A visitor with a browser that keeps cookies and does not follow redirects by itself. */
function visitorOf(service: Service) {
  const cookies = new Map<string, string>()
  // A proxy in front of the service removes the path of PUBLIC_URL.
  const base = new URL(service.config.publicUrl).pathname.replace(/\/$/, '')
  const inService = (path: string) => {
    const local = path.replace(ORIGIN, '')
    return base !== '' && local.startsWith(`${base}/`) ? local.slice(base.length) : local
  }
  const cookieNow = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers({ accept: 'text/html', ...(init.headers as Record<string, string>) })
    if (cookies.size > 0) headers.set('cookie', cookieNow())
    const answer = await service.send(inService(path), { ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  return {
    send,
    get cookie() {
      return cookieNow()
    },
    async get(path: string): Promise<string> {
      const answer = await send(path)
      expect({ path, status: answer.status }).toEqual({ path, status: 200 })
      return answer.text()
    },
    /** Adds a cookie, as a script of a page does. */
    setCookie: (name: string, value: string) => void cookies.set(name, value),
    /** Opens an address, and follows its redirect if it leads to a page. */
    async open(path: string): Promise<Response> {
      const answer = await send(path)
      const place = answer.headers.get('location')
      return answer.status === 303 && !place?.startsWith('/console/sign-in') ? send(place!) : answer
    },
    /** Sends a form. @returns the page that it leads to */
    async submit(
      path: string,
      fields: Readonly<Record<string, string | readonly string[]>> = {},
    ): Promise<string> {
      return this.get(to(await this.post(path, fields)))
    },
    /** Sends a form like a page of the console. */
    post(path: string, fields: Readonly<Record<string, string | readonly string[]>> = {}): Promise<Response> {
      const body = new URLSearchParams()
      for (const [name, value] of Object.entries(fields))
        for (const each of [value].flat()) body.append(name, each)
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }
      return send(path, { method: 'POST', body: String(body), headers })
    },
  }
}

/**
 * Starts a house with the account `default`.
 *
 * @param options.transport of images; default: the network
 * @param node this process of the service; default: without the role worker
 */
export async function startHouse(
  { transport, ...options }: ServiceOptions & { readonly transport?: Transport } = {},
  node: PageDeps['node'] = () => ({ startedAt: Date.now(), worker: undefined }),
) {
  let stores: Stores | undefined
  let shown: Promise<App> | undefined
  let rooms: ReturnType<typeof openPeople> | undefined
  const imagesOf = ({ config, now }: Pick<PageDeps, 'config' | 'now'>) =>
    new Images({
      config,
      exits: { forRun: async () => null, ended: async () => {} },
      rateLimiter: rateLimiterOf(config),
      now,
      ...(transport && { transport }),
    })
  const exitsOf = ({ config, now, ephemeral, logger }: Service['deps']) =>
    new Exits({ config, rests: ephemeral.exitRests, now, logger })
  const limits = (source: Source) => limitsOfHosts(source, paceSettingsOf(service.config))
  const service: Service = await startService({
    ...options,
    stores: (opened) => {
      stores = { ...opened, ...options.stores?.(opened) }
      return stores
    },
    endpoints: routesOf,
    pages: (deps) => {
      shown ??= Promise.resolve(
        createConsole({ ...deps, ...rooms!, exits: exitsOf(deps), node, limits, images: imagesOf(deps) }),
      )
      return shown
    },
  })
  const { publicUrl } = service.config
  const provider = providerOf(service.config, stores!.tickets, service.deps.now)
  rooms = openPeople({ ...service.deps, ...stores!, publicUrl, provider })
  const accountId = DEFAULT_ACCOUNT
  const cause = { correlationId: 'test', causationId: 'test' }
  const open = { type: 'open', accountId, name: 'default', credits: 1000 } as const
  await service.deps.accounts.handle(open, { ...cause, accountId })

  const visitor = () => visitorOf(service)

  /** A new person who joins by a link and is signed in when the promise resolves. */
  async function enters(link: string, name: string, email?: string): Promise<Visitor> {
    const who = visitor()
    const fields = { name, password: PASSWORD, ...(email === undefined ? {} : { email }) }
    const answer = await who.post(link, fields)
    expect(answer.status).toBe(303)
    return who
  }

  const setUp = async () => enters(await rooms!.links.make({ kind: 'setup' }), 'Ann', 'ann@example.org')

  return {
    service,
    rooms: rooms!,
    images: imagesOf(service.deps),
    stores: stores!,
    accountId,
    own: `/console/${accountId}`,
    visitor,
    enters,
    /** Sets the instance up. */
    setUp,
    /** A new member of the account with a role. */
    async joins(role: 'owner' | 'member' | 'viewer', name: string, account = accountId): Promise<Visitor> {
      const { url } = await rooms!.invitations.invite(account, `${name.toLowerCase()}@example.org`, role, {
        ...cause,
        now: Date.now(),
      })
      return enters(url, name)
    },
    /** Types of all events. */
    types: async () => (await service.events()).map(({ type }) => type),
    close: () => service.close(),
  }
}

/** The location of a redirect. */
export const to = (answer: Response): string => {
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

/** The last part of a path: the id that it is about. */
export const idIn = (path: string): string => path.split('/').at(-1)!

/** Starts a run of `sample.search` from the page of the task. @returns its id */
export async function startRun(
  who: Visitor,
  { own }: { readonly own: string },
  query: string,
  key: string = crypto.randomUUID(),
): Promise<string> {
  const fields = { 'in.query': query, idempotency_key: key, by: 'form' }
  return idIn(to(await who.post(`${own}/tasks/sample.search`, fields)))
}
