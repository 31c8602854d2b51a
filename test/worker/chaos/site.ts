/**
 * The site of the chaos source. It keeps good runs and the bad one waiting, until a test lets them go.
 *
 * @module
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Orders } from './plugins/chaos/harm.ts'

export async function openSite() {
  const responses = new Map<string, ServerResponse>()
  /** how often each good run has asked, by name */
  const requests = new Map<string, number>()
  const state = { isOpen: false, orders: undefined as Omit<Orders, 'port'> | undefined, knocks: 0 }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site')
    const name = searchParams.get('name') ?? ''
    const cookie = `${name}=1; Path=/; Secure; HttpOnly`
    if (pathname === '/knock') state.knocks++
    if (pathname === '/cookie') response.setHeader('set-cookie', cookie)
    if (pathname === '/bad' && !state.orders) return void responses.set('bad', response)
    if (pathname === '/bad') return void response.end(JSON.stringify({ ...state.orders, port: portOf() }))
    if (pathname === '/good') {
      const times = (requests.get(name) ?? 0) + 1
      requests.set(name, times)
      // A run that is executed again does not wait.
      if (times === 1 && !state.isOpen) return void responses.set(name, response)
    }
    response.end(wordFor(name))
  })
  // Of the bad run, which never sends anything through them.
  server.requestTimeout = 0
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
  const portOf = () => (server.address() as AddressInfo).port
  return {
    origin: `http://127.0.0.1:${portOf()}`,
    requests,
    /** who waits */
    get waiting() {
      return [...responses.keys()]
    },
    /** how often the bad run's code has shown that it goes on */
    get knocks() {
      return state.knocks
    },
    /** Lets one good run go. */
    letGo(name: string): void {
      responses.get(name)?.end(wordFor(name))
      responses.delete(name)
    },
    /** Lets the bad run do its harm. */
    letBadGo(orders: Omit<Orders, 'port'>): void {
      state.orders = orders
      responses.get('bad')?.end(JSON.stringify({ ...orders, port: portOf() }))
    },
    /** Lets the good runs go. */
    open(): void {
      state.isOpen = true
      for (const [name, response] of responses) if (name !== 'bad') response.end(wordFor(name))
    },
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

const wordFor = (name: string): string => JSON.stringify({ word: `a word for ${name}` })
