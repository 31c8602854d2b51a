/**
 * The decoded texts of a request: its path, the values of its query, and the values of its body.
 *
 * @module
 */
import type { SiteRequest } from './matching.ts'

/** A text of a request. `name` is that of a parameter or field, `path` for a segment or `whole` for the whole path. */
export type Part = { readonly name: string; readonly value: string }

type Change = (value: string, name: string) => string

/** All texts of a request, outermost first. */
export function partsOf(request: SiteRequest): readonly Part[] {
  const [path = ''] = request.path.split('?')
  const parts: Part[] = [{ name: 'whole', value: decoded(path) }]
  changed(request, (value, name) => {
    parts.push({ name, value })
    return value
  })
  return parts
}

/** A request with other texts in the places of its own ones. */
export function changed({ method, path, body }: SiteRequest, change: Change): SiteRequest {
  const [pathname = '', ...query] = path.split('?')
  const segments = pathname.split('/').map((segment) => {
    const text = decoded(segment)
    const next = change(text, 'path')
    return next === text ? segment : encodeURIComponent(next)
  })
  const search = query.length > 0 ? `?${inForm(query.join('?'), change)}` : ''
  return { method, path: segments.join('/') + search, body: inBody(body, change) }
}

function inBody(body: string, change: Change): string {
  const json = parsed(body)
  if (json !== undefined) return JSON.stringify(inValue(json, '', change))
  return body.includes('=') ? inForm(body, change) : body
}

/** Values that are JSON are changed within. */
function inForm(form: string, change: Change): string {
  let differs = false
  const pairs = [...new URLSearchParams(form)].map(([name, value]): [string, string] => {
    const json = parsed(value)
    const next = json === undefined ? change(value, name) : JSON.stringify(inValue(json, name, change))
    const isSame = json === undefined ? next === value : next === JSON.stringify(json)
    differs ||= !isSame
    return [name, isSame ? value : next]
  })
  return differs ? new URLSearchParams(pairs).toString() : form
}

function inValue(value: unknown, name: string, change: Change): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((each) => inValue(each, name, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inValue(each, key, change)]))
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text as it is if it is badly encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
