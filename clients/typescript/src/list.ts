import type { Call, Http } from './http.ts'

/** All entries of a list. Each page is fetched when its first entry is requested. */
export async function* list<T>(http: Http, call: Call, name: string): AsyncGenerator<T, void> {
  for (let cursor: string | undefined; ; ) {
    type Page = { readonly [name: string]: readonly T[] } & { readonly next_cursor: string | null }
    const page: Page = await http.json({ ...call, query: { ...call.query, cursor } })
    yield* page[name] ?? []
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}
