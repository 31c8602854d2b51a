/**
 * A source with a login and browser pages, for tests of the isolation between runs.
 *
 * @module
 */
import { at, type Context, defineSource, defineTask, Type } from 'gleaner/plugin'

const input = Type.Object({ mark: Type.String() })
type Input = { readonly mark: string }

/** Everything that a page can find out about earlier visitors. With a replaced origin it cannot start workers. */
const SEE = `(async () => {
  const asked = (request) => new Promise((go, fail) => { request.onsuccess = () => go(request.result); request.onerror = fail })
  const databases = {}
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name))
    for (const store of database.objectStoreNames)
      databases[name] = await asked(database.transaction(store).objectStore(store).getAll())
    database.close()
  }
  const cached = []
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys())
      cached.push(name, await (await caches.match(request)).text())
  return {
    cookie: document.cookie, local: { ...localStorage }, session: { ...sessionStorage }, databases, cached,
    broadcast: window.heard, name: window.name, opener: window.opener, history: history.length,
    locks: (await navigator.locks.query()).held.map(({ name }) => name),
    who: await fetch('/who').then((r) => r.text()), kept: await fetch('/kept').then((r) => r.text()),
  }
})()`

/** Leaves a mark in every storage of a page. */
const plant = (mark: string): string =>
  `(async (mark) => {
  document.cookie = 'planted=' + mark + '; max-age=1000'
  localStorage.planted = sessionStorage.planted = window.name = mark
  const open = indexedDB.open('planted', 1)
  await new Promise((go) => { open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = go })
  const put = open.result.transaction('s', 'readwrite').objectStore('s').put(mark, 1)
  await new Promise((go) => { put.onsuccess = go })
  open.result.close()
  await (await caches.open('planted')).put('/planted', new Response(mark))
  new BroadcastChannel('club').postMessage(mark)
  void navigator.locks.request(mark, () => new Promise(() => {}))
  await fetch('/kept?' + mark).then((r) => r.text())
})(${JSON.stringify(mark)})`

async function* visit(context: Context, { mark }: Input) {
  const who = at(await (await context.fetch('/who')).json(), 'cookie')
  const page = await context.page()
  await page.goto('/')
  const before = await page.evaluate(SEE)
  await page.evaluate(plant(mark))
  // The site answers when the test allows it.
  await page.evaluate(`fetch('/held?${mark}').then((r) => r.text())`)
  yield { signed_in: context.signedIn, who, before, after: await page.evaluate(SEE) }
  return {}
}

const taskOf = (what: string, login: true | 'optional') =>
  defineTask({
    key: `club.${what}`,
    path: `/v1/club/${what}`,
    title: what,
    description: 'Tells what there is to be seen of others.',
    price: 1,
    input,
    item: Type.Object({
      signed_in: Type.Boolean(),
      who: Type.Unknown(),
      before: Type.Unknown(),
      after: Type.Unknown(),
    }),
    example: { mark: 'x' },
    needs: { login, browser: true },
    run: visit,
  })

export default defineSource({
  name: 'club',
  title: 'Club',
  origin: 'https://www.club.example',
  pace: { perSecond: 10_000, concurrent: 100 },
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [taskOf('visit', true), taskOf('visit-as-anyone', 'optional')],
})
