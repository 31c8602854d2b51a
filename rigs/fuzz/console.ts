/**
 * The console: every form on its pages and their queries, with odd values. No answer is a 5xx, none contains sent text
 * unescaped, and none shows data of another account.
 *
 * @module
 */
import { parseHTML } from 'linkedom'
import { type House, ORIGIN, startHouse, type Visitor } from '../../test/console/house.ts'
import { textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddText } from './values.ts'

type Form = {
  readonly action: string
  readonly isPost: boolean
  readonly fields: readonly (readonly [name: string, values: readonly string[]])[]
}

/** Actions that end the session, or hide the account that all other cases need. */
const LEFT_OUT = /sign-out|delete|remove|sessions|password|\/role$/
const MARK = '"><i id=fuzz>'
const SECRET = 'belongs-to-the-other-account'

export async function openConsole(): Promise<Opened> {
  const house = await startHouse({ env: { LOG_LEVEL: 'silent', SYNC_WAIT_S: '0' } })
  const owner = await house.setUp()
  const cause = { correlationId: 'fuzz', causationId: 'fuzz', now: Date.now() }
  const other = await house.service.openAccount()
  await house.service.post('/v1/sample/search', other.key, { query: SECRET })
  await house.rooms.invitations.invite(house.accountId, 'ben@example.org', 'member', cause)
  const { forms, pages } = await crawl(house, owner)
  if (forms.length < 10) throw new Error(`only ${forms.length} forms were found`)
  return {
    one: (random) =>
      random.chance(0.7)
        ? posted(random, owner, random.pick(forms))
        : looked(random, owner, random.pick(pages)),
    close: house.close,
  }
}

/** All pages that can be reached from the first ones, and their forms. */
async function crawl(house: House, visitor: Visitor) {
  const forms = new Map<string, Form>()
  const left = [house.own, '/console/me', '/console/operator']
  const pages = new Set(left)
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const answer = await visitor.send(path)
    if (answer.status !== 200 || !answer.headers.get('content-type')?.startsWith('text/html')) continue
    const { document } = parseHTML(await answer.text())
    for (const link of document.querySelectorAll('a[href]')) {
      const { pathname, origin } = new URL(link.getAttribute('href') ?? '', ORIGIN + path)
      if (origin !== ORIGIN || !pathname.startsWith('/console') || pages.has(pathname) || pages.size > 120)
        continue
      pages.add(pathname)
      left.push(pathname)
    }
    for (const form of document.querySelectorAll('form')) {
      const action = new URL(form.getAttribute('action') ?? '', ORIGIN + path).pathname
      if (LEFT_OUT.test(action)) continue
      const isPost = form.getAttribute('method')?.toLowerCase() === 'post'
      forms.set(`${isPost} ${action}`, { action, isPost, fields: fieldsOf(form) })
    }
  }
  return { forms: [...forms.values()], pages: [...pages] }
}

function fieldsOf(form: Element): Form['fields'] {
  return [...form.querySelectorAll('input[name],select[name],textarea[name],button[name]')].map((field) => {
    const options = [...field.querySelectorAll('option')].map((option) => option.getAttribute('value') ?? '')
    const values = options.length > 0 ? options : [field.getAttribute('value') ?? field.textContent ?? '']
    return [field.getAttribute('name') ?? '', values]
  })
}

function valuesOf(random: Random, { fields }: Form): URLSearchParams {
  const body = new URLSearchParams()
  for (const [name, values] of fields) {
    if (random.chance(0.05)) continue
    const value = random.pick(values)
    const times = random.chance(0.03) ? 3 : 1
    for (let i = 0; i < times; i++) body.append(name, changed(random, value))
  }
  if (random.chance(0.1)) body.append(oddText(random), oddText(random))
  return body
}

function changed(random: Random, value: string): string {
  if (random.chance(0.4)) return value
  if (random.chance(0.3)) return MARK
  return random.chance(0.5) ? oddText(random).slice(0, 5000) : textMutated(random, value || 'otter')
}

async function posted(random: Random, visitor: Visitor, form: Form): Promise<string> {
  const values = valuesOf(random, form)
  if (!form.isPost) return looked(random, visitor, form.action, values)
  const headers = {
    origin: ORIGIN,
    'content-type': random.chance(0.97) ? 'application/x-www-form-urlencoded' : oddType(random),
  }
  const body = random.chance(0.95) ? String(values) : textMutated(random, String(values))
  return checked(visitor, form.action, { method: 'POST', headers, body })
}

const oddType = (random: Random): string =>
  random.pick(['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])

function looked(random: Random, visitor: Visitor, path: string, query?: URLSearchParams): Promise<string> {
  const names = ['cursor', 'status', 'task', 'q', 'type', 'actor', 'view', 'page', 'from', 'to']
  const pairs = query ?? new URLSearchParams([[random.pick(names), changed(random, '1')]])
  const end = random.chance(0.8) ? '' : `/${encodeURIComponent(oddText(random).toWellFormed()).slice(0, 500)}`
  return checked(visitor, `${path}${end}?${pairs}`)
}

async function checked(visitor: Visitor, path: string, init: RequestInit = {}): Promise<string> {
  const answer = await visitor.send(path, init)
  const { status } = answer
  const exchange = `${init.method ?? 'GET'} ${path} ${String(init.body ?? '')} -> ${status}`
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) await answer.body?.cancel()
  else {
    const text = await answer.text()
    if (status >= 500) throw new Error(`${exchange}: ${text.slice(0, 2000)}`)
    if (text.includes('<i id=fuzz>')) throw new Error(`${exchange}: it shows the sent text unescaped`)
    if (text.includes(SECRET)) throw new Error(`${exchange}: it shows data of another account`)
  }
  if (answer.headers.get('location')?.includes('/sign-in'))
    throw new Error(`${exchange}: the session is gone`)
  return String(status)
}
