/**
 * A source whose site changes, for tests of captures.
 *
 * @module
 */
import { at, type Context, defineSource, defineTask, listAt, SourceChanged, Type } from 'gleaner/plugin'

const item = Type.Object({ title: Type.String() })
const input = Type.Object({ paths: Type.Array(Type.String()) })

/** Reads lists of lamps, one after the other. */
async function* list(context: Context, { paths }: { readonly paths: readonly string[] }) {
  const key = context.credentials?.KEY ?? ''
  for (const path of paths) {
    const reply = await context.fetch(path, { query: { key } })
    const lamps = listAt(await reply.json(), 'lamps')
    for (const lamp of lamps) yield { title: at(lamp, 'title') as string }
  }
  return {}
}

/** Reads one lamp from a page. */
async function* page(context: Context, { paths: [path = '/'] }: { readonly paths: readonly string[] }) {
  const page = await context.page()
  await page.goto(path)
  await page.wait('body')
  const title = context.parse(await page.html()).querySelector('h1.lamp')?.textContent
  if (!title) throw new SourceChanged('the page has no lamp')
  yield { title }
  return {}
}

/** Reads lamps with a request from inside of a page. */
async function* inside(context: Context, { paths: [path = '/'] }: { readonly paths: readonly string[] }) {
  const page = await context.page()
  await page.goto('/')
  context.log(await page.html())
  const text = await page.evaluate(`fetch(${JSON.stringify(path)}).then((reply) => reply.text())`)
  for (const lamp of listAt(JSON.parse(String(text)), 'lamps')) yield { title: at(lamp, 'title') as string }
  return {}
}

const common = { price: 1, input, item, example: { paths: ['/lamps'] } }

export default defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://www.lamps.example',
  pace: { perSecond: 10_000, concurrent: 100 },
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  credentials: ['KEY'],
  tasks: [
    defineTask({
      ...common,
      key: 'lamps.list',
      path: '/v1/lamps/list',
      title: 'list',
      description: 'Lists lamps.',
      needs: { login: 'optional' },
      run: list,
    }),
    defineTask({
      ...common,
      key: 'lamps.page',
      path: '/v1/lamps/page',
      title: 'page',
      description: 'Reads the page of a lamp.',
      needs: { browser: true },
      run: page,
    }),
    defineTask({
      ...common,
      key: 'lamps.inside',
      path: '/v1/lamps/inside',
      title: 'inside',
      description: 'Lists lamps from inside of a page.',
      needs: { browser: true },
      run: inside,
    }),
  ],
})
