/** Run by wire.test.ts on each runtime: makes the measured requests to the server on a port of this machine. */
import { connect } from 'node:net'
import { argv, exit } from 'node:process'
import { networkTransport } from '../../../src/net/connection/network-transport.ts'
import { HttpClient } from '../../../src/net/http-client.ts'
import { BROWSER, defineSource } from '../../../src/plugin.ts'
import { FETCHES, SITE } from './measured.ts'

const port = Number(argv[2])
const source = defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: SITE,
  hosts: ['api.lamps.localhost', 'cdn.localhost'],
  userAgent: BROWSER,
  tasks: [],
})
const client = new HttpClient({
  source,
  userAgent: 'Gleaner/test',
  transport: networkTransport({ proxyUrl: null, dial: async () => connect(port, '127.0.0.1') }),
  signal: new AbortController().signal,
  until: Number.POSITIVE_INFINITY,
  acquire: async () => () => undefined,
  now: Date.now,
})
await (await client.fetch('/page')).text()
for (const { url, ...options } of FETCHES) {
  const headers = { referer: `${SITE}/page`, ...('headers' in options ? options.headers : {}) }
  await (await client.fetch(url, { ...options, as: 'fetch', headers })).text()
}
exit()
