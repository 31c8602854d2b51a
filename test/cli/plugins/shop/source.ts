/**
 * A shop that recognizes its visitors by a cookie, a token in its pages and an API key.
 *
 * @module
 */
import {
  at,
  Choice,
  defineSource,
  defineTask,
  idOrNull,
  listAt,
  Nullable,
  paged,
  Query,
  Type,
  textOrNull,
} from 'gleaner/plugin'

const search = defineTask({
  key: 'shop.search',
  path: '/v1/shop/search',
  title: 'Shop search',
  description: 'Wares by words.',
  price: 2,
  input: Type.Object({ query: Query() }),
  item: Type.Object({ id: Type.String(), title: Type.String(), seller: Nullable(Type.String()) }),
  summary: ({ query }) => query,
  example: { query: 'lamp' },
  async *run({ fetch, parse }, { query }) {
    const home = await (await fetch('/')).text()
    const csrf = parse(home).querySelector('meta[name=csrf-token]')?.getAttribute('content')
    const apiKey = /"apiKey":"([^"]+)"/.exec(home)?.[1]
    const next_cursor = yield* paged({
      cursor: undefined,
      first: '1',
      pages: 5,
      async read(page) {
        const body = JSON.stringify({ query, page: Number(page), csrf_token: csrf })
        const reply = await fetch('/api/search', { method: 'POST', query: { key: apiKey }, body })
        const json = await reply.json({ exact: true })
        const rows = listAt(json, 'wares').map((ware) => ({
          id: idOrNull(at(ware, 'id')) ?? '',
          title: textOrNull(at(ware, 'title')) ?? '',
          seller: textOrNull(at(ware, 'seller')),
        }))
        return { rows, next: idOrNull(at(json, 'next')) }
      },
    })
    return { next_cursor }
  },
})

/** Reads answers of all kinds. */
const read = defineTask({
  key: 'shop.read',
  path: '/v1/shop/read',
  title: 'Shop page',
  description: 'One page, as text or as a file.',
  price: 1,
  input: Type.Object({ path: Type.String(), as: Choice(['text', 'file'], 'text') }),
  item: Type.Object({ text: Type.String() }),
  example: { path: '/latin' },
  async *run({ fetch, artifact }, { path, as }) {
    const reply = await fetch(path)
    if (as === 'text') yield { text: await reply.text() }
    else {
      const file = await artifact('photo.jpg', 'image/jpeg')
      await file.write(await reply.bytes())
      await file.close()
    }
    return undefined
  },
})

/** Reads an answer that only a browser gets, because the page itself requests it. */
const front = defineTask({
  key: 'shop.front',
  path: '/v1/shop/front',
  title: 'Shop window',
  description: 'What lies in the window.',
  price: 1,
  input: Type.Object({}),
  item: Type.Object({ text: Type.String() }),
  example: {},
  needs: { browser: true },
  async *run({ page }) {
    const tab = await page()
    const answers = tab.answers(/\/api\/window/)
    await tab.goto('/front')
    const reply = await answers.next()
    for (const ware of listAt(await reply?.json(), 'wares')) yield { text: String(ware) }
    return undefined
  },
})

/** Never ends. Its request shows that it has begun. */
const endless = defineTask({
  key: 'shop.endless',
  path: '/v1/shop/endless',
  title: 'Endless',
  description: 'Waits for ever.',
  price: 1,
  input: Type.Object({ heeds: Type.Boolean() }),
  item: Type.Object({ text: Type.String() }),
  example: { heeds: true },
  async *run({ fetch, signal, progress }, { heeds }) {
    progress(1, 2, 'pages read')
    yield { text: 'the first' }
    await fetch('/latin')
    await new Promise<void>((go) => {
      if (heeds && signal.aborted) go()
      else if (heeds) signal.addEventListener('abort', () => go(), { once: true })
    })
    return undefined
  },
})

export default defineSource({
  name: 'shop',
  title: 'Shop',
  origin: 'https://shop.example',
  pace: { perSecond: 1000, concurrent: 10 },
  tasks: [search, read, front, endless],
})
