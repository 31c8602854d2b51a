import { GleanerError } from './errors.ts'
import type { ApiCall, Http } from './http.ts'

type ListPage<T> = { readonly [name: string]: readonly T[] } & { readonly next_cursor: string | null }

/** All entries of a list. Each page is fetched when its first entry is requested. */
export async function* list<T>(http: Http, call: ApiCall, name: string): AsyncGenerator<T, void> {
  for (let cursor: string | undefined; ; ) {
    const page = await http.json<ListPage<T>>({ ...call, query: { ...call.query, cursor } })
    // Without a cursor, the same page would be requested forever.
    if (!Array.isArray(page?.[name]) || page.next_cursor === undefined) {
      const detail = `The response is not from Gleaner: it has no ${name} or no next_cursor.`
      throw new GleanerError({ code: 'unexpected-answer', status: 200, detail })
    }
    yield* page[name]
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}
