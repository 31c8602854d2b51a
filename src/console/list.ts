/**
 * Lists of read models on pages.
 *
 * @module
 */
import type { Html } from '../html.ts'
import { page } from '../http/lists.ts'
import type { Model, Row } from '../read/read-models.ts'
import { more } from './components/parts.ts'
import type { PageRequest } from './visitor.ts'

/**
 * Reads the page of a list that the URL requests, newest first.
 *
 * @param path of the list's page. It may differ from the URL: the answer to a form shows the list under the form's path
 * @returns its rows, and a link to older rows
 */
export async function listed<R extends Row>(
  { deps, url }: PageRequest,
  path: string,
  model: Model<R>,
  which: { readonly index: string; readonly equals: readonly (string | number)[] },
  limit: number,
): Promise<{ readonly rows: readonly R[]; readonly older: Html | false }> {
  const cursor = url.searchParams.get('cursor')
  const { rows, next } = await page(deps, model, which, { limit, cursor: cursor ?? undefined })
  return { rows, older: more(next === null ? null : `${path}?cursor=${next}`) }
}
