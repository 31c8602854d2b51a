/**
 * Cursors and positions: any value is either refused as invalid or answered with a page.
 *
 * @module
 */
import { checkAnswer, openWorld } from './http.ts'
import { textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddText, oddValue } from './values.ts'

type List = { readonly path: string; readonly name: string; readonly next: string }

export async function openCursors(): Promise<Opened> {
  const { service, own, ids } = await openWorld()
  const deliveries = `/v1/webhooks/${ids.webhook_id?.[0]}/deliveries`
  const lists: readonly List[] = [
    { path: '/v1/runs', name: 'cursor', next: 'next_cursor' },
    { path: '/v1/runs?status=succeeded', name: 'cursor', next: 'next_cursor' },
    { path: '/v1/account/ledger', name: 'cursor', next: 'next_cursor' },
    { path: '/v1/events', name: 'after', next: 'next_after' },
    { path: deliveries, name: 'cursor', next: 'next_cursor' },
  ]
  const streams = ['/v1/events/stream', `/v1/runs/${ids.run_id?.[0]}/events`]
  const cursors: string[] = []
  for (const { path, next } of lists) {
    const answer = await service.send(`${path}${path.includes('?') ? '&' : '?'}limit=1`, { key: own.key })
    const cursor = ((await answer.json()) as Record<string, unknown>)[next]
    if (typeof cursor === 'string') cursors.push(cursor)
  }
  if (cursors.length < 3) throw new Error('the lists have too few pages')

  async function one(random: Random): Promise<string> {
    const cursor = cursorOf(random, cursors)
    const request = random.chance(0.8)
      ? listed(random.pick(lists), cursor)
      : streamed(random.pick(streams), cursor)
    if (!request) return 'no request'
    const answer = await service.app.fetch(request)
    const { status } = answer
    if (![200, 204, 400, 422].includes(status))
      throw new Error(`${request.url}: ${status} ${await answer.text()}`)
    await checkAnswer(answer, request)
    return String(status)
  }

  const headers = { authorization: `Bearer ${own.key}` }
  const listed = ({ path, name }: List, cursor: string): Request =>
    new Request(
      `http://localhost${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(cursor.toWellFormed())}`,
      { headers },
    )

  function streamed(path: string, cursor: string): Request | undefined {
    try {
      return new Request(`http://localhost${path}`, { headers: { ...headers, 'last-event-id': cursor } })
    } catch {
      // Not a valid HTTP header.
      return undefined
    }
  }

  return { one, close: () => service.close() }
}

function cursorOf(random: Random, cursors: readonly string[]): string {
  const good = random.pick(cursors)
  const kind = random.below(6)
  if (kind === 0) return good
  if (kind === 1) return oddText(random).slice(0, 2000)
  if (kind === 2) return Buffer.from(JSON.stringify(oddValue(random)) ?? '').toString('base64url')
  if (kind === 3) return reencoded(random, good)
  return textMutated(random, good).slice(0, 2000)
}

/** Decodes a cursor, changes it, and encodes it again. */
function reencoded(random: Random, cursor: string): string {
  const [head, tail] = cursor.split('.')
  if (tail !== undefined)
    return `${head}.${random.pick(['-1', '1e9', '00', '99999999999999999999', '0x1', '']) + tail}`
  return Buffer.from(textMutated(random, Buffer.from(cursor, 'base64url').toString())).toString('base64url')
}
