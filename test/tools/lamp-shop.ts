/**
 * A plugin in a folder of its own and its site on loopback, whose answers a test can change.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Site, startSite } from '../../rigs/servers/site.ts'

export type LampShop = Site & {
  /** settings with which `gleaner` finds the plugin and its site */
  readonly env: Readonly<Record<string, string>>
  /** the plugin's folder */
  readonly folder: string
  /** what the site answers, by path: JSON, or a page when it is a text; any other path is answered 404 */
  readonly answers: Map<string, unknown>
  /** paths with queries that were requested */
  readonly requested: string[]
  /** Writes a cassette into `fixtures`. @returns its path */
  cassette(name: string, content: object): string
}

/** The plugin's parser, which tests edit. */
export const SOURCE = `import { defineSource, defineTask, field, Limit, listAt, Query, reader, Type } from 'gleaner/plugin'

const Lamp = Type.Object({
  id: field.required(field.id('id'), 'a lamp has no id'),
  title: field.text('title'),
  price: field.number('price.amount'),
})
const lampOf = reader(Lamp)

const search = defineTask({
  key: 'lamps.search',
  path: '/v1/lamps/search',
  title: 'Lamp search',
  description: 'Lamps.',
  price: 1,
  input: Type.Object({ query: Query(), limit: Limit(100) }),
  summary: ({ query }) => query,
  item: Lamp,
  example: { query: 'desk' },
  async *run({ fetch }, { query }) {
    const json = await (await fetch('/api/lamps', { query: { q: query } })).json()
    for (const lamp of listAt(json, 'lamps')) yield lampOf(lamp)
    return { next_cursor: null }
  },
})

/** Reads what the site gives to every visitor, which later runs of a process need not read again. */
const greeting = defineTask({
  key: 'lamps.greeting',
  path: '/v1/lamps/greeting',
  title: 'Greeting',
  description: 'The greeting of the shop.',
  price: 1,
  input: Type.Object({}),
  summary: () => 'greeting',
  item: Type.Object({ text: Type.String() }),
  example: {},
  async *run({ fetch, memory }) {
    const text = await memory.once('greeting', async () => ({ value: await (await fetch('/')).text(), seconds: 600 }))
    yield { text }
    return { next_cursor: null }
  },
})

export default defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://www.lamps.example', tasks: [search, greeting] })
`

/** The answer to a search: lamps with ids from 1. */
export const lamps = (...titles: string[]) => ({
  lamps: titles.map((title, i) => ({ id: i + 1, title, price: { amount: `${7 + i}.50` } })),
})

/** Starts the shop. @param parent an empty folder */
export async function startLampShop(parent: string): Promise<LampShop> {
  const folder = join(parent, 'lamps')
  mkdirSync(join(folder, 'fixtures'), { recursive: true })
  writeFileSync(join(folder, 'source.ts'), SOURCE)
  const answers = new Map<string, unknown>()
  const requested: string[] = []
  const site = await startSite((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://lamps')
    requested.push(pathname + search)
    const answer = answers.get(pathname)
    if (answer === undefined) return void response.writeHead(404).end('no such page')
    if (typeof answer === 'string')
      return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  return {
    ...site,
    folder,
    answers,
    requested,
    env: { PLUGINS_DIR: parent, SOURCE_LAMPS_ORIGIN: site.origin },
    cassette(name, content) {
      const file = join(folder, 'fixtures', name)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, JSON.stringify(content))
      return file
    },
  }
}
