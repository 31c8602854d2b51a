/**
 * For tests: the made-up pages of the fixtures, with another state or other answers in them.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { readCassette } from 'gleaner/plugin/testing'

export const cassettes = {
  comments: readCassette(new URL('./fixtures/comments.json', import.meta.url)),
  hashtag: readCassette(new URL('./fixtures/hashtag.json', import.meta.url)),
}

const STATE = /(<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__"[^>]*>)[\s\S]*?(<\/script>)/

/** The document of a task's fixture; `state` takes the place of its own: JSON text, or the detail of its scope. */
export function documentOf(task: keyof typeof cassettes, state?: string | object): Exchange {
  const [document] = cassettes[task].exchanges
  if (!document) throw new TypeError('the fixture has no document')
  if (state === undefined) return document
  const scope = task === 'comments' ? 'webapp.video-detail' : 'webapp.challenge-detail'
  const text = typeof state === 'string' ? state : JSON.stringify({ __DEFAULT_SCOPE__: { [scope]: state } })
  const body = String(document.body).replace(STATE, (_, open, close) => `${open}${text}${close}`)
  return { ...document, body }
}

/** An answer of the list that the document asks for, from an offset on. */
export const listAt = (task: keyof typeof cassettes, cursor: number, json: unknown): Exchange => ({
  request: `${listPath(task)}?cursor=${cursor}`,
  json,
})

export const listPath = (task: keyof typeof cassettes): string =>
  task === 'comments' ? '/api/comment/list/' : '/api/challenge/item_list/'
