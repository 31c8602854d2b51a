/**
 * One call on the page: its description, its parameters, its responses, and a command to try it.
 *
 * @module
 */
import { copyable, Html, html, paragraphs, words } from '../../../html.ts'
import type { Schema } from '../components.ts'
import type { Operation, ResponseObject } from '../document.ts'

/** A call of the API with its method and path. */
export type DocumentedOperation = {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The problem responses that calls share, by name. */
type Shared = Readonly<Record<string, ResponseObject>>

/** The call's own response for a status; undefined if the response is shared. */
function answerOf({ responses }: Operation, status: string): ResponseObject | undefined {
  const answer = responses[status]
  return answer && !('$ref' in answer) ? answer : undefined
}

const KINDS: Readonly<Record<string, string>> = { GET: 'good', POST: 'busy', DELETE: 'bad' }

/** The badge of a method. */
export const badge = (method: string): Html =>
  html`<span class="badge ${KINDS[method] ?? ''}">${method}</span>`

/** A block of code with a label. */
export const code = (text: string, label: string): Html =>
  html`<figure class="code"><figcaption class="hint">${label}</figcaption>${copyable(text, label)}</figure>`

/** The section of a call. */
export function callSection({ method, path, operation }: DocumentedOperation, shared: Shared): Html {
  const { operationId, summary, description, parameters, requestBody } = operation
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const body = requestBody?.content['application/json']
  return html`<section class="call" id="${operationId}">
<div class="text">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route">${badge(method)} <code>${path}</code></p>
${description !== undefined && paragraphs(description)}
${part('Path', of('path'))}
${part('Query', of('query'))}
${part('Headers', of('header'))}
${body && part('Body', fieldsOf(body.schema))}
${answerTable(operation)}
${resultTable(operation)}
${problemLinks(operation, shared)}
</div>
<div class="try">
${code(curlOf({ method, path, operation }), 'Try it')}
${exampleBlocks(operation)}
</div>
</section>`
}

const part = (title: string, fields: readonly Field[]): Html =>
  html`${fields.length > 0 && html`<h4>${title}</h4>${fieldTable(fields, 'request')}`}`

const successes = (operation: Operation): [string, ResponseObject][] =>
  Object.keys(operation.responses).flatMap((status) => {
    const answer = answerOf(operation, status)
    return answer ? [[status, answer]] : []
  })

function answerTable(operation: Operation): Html {
  const rows = successes(operation).map(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(
      ([type, { schema }]) =>
        html`<br><span class="hint">${type}: ${typeOf(schema)}</span>${fieldTable(fieldsOf(schema), 'answer')}`,
    )
    return html`<tr><th scope="row"><code>${status}</code></th><td>${words(description)}${types}</td></tr>`
  })
  return html`<h4>Answers</h4><div class="scroll"><table><tbody>${rows}</tbody></table></div>`
}

/** The schema of a task's result. */
function resultTable(operation: Operation): Html {
  const schema = answerOf(operation, '200')?.content?.['application/json']?.schema
  const more = (schema?.allOf as readonly Schema[] | undefined)?.[1]
  const result = (more?.properties as Record<string, Schema> | undefined)?.result
  const [first] = (result?.anyOf ?? []) as readonly Schema[]
  return html`${first && html`<p>Its <code>result</code> is ${typeOf(first)}.</p>`}`
}

function problemLinks({ responses }: Operation, shared: Shared): Html {
  const codes = Object.values(responses).flatMap((response) => {
    const answer = '$ref' in response ? shared[response.$ref.split('/').at(-1)!] : response
    const { content } = answer ?? {}
    return Object.keys(content?.['application/problem+json']?.examples ?? {})
  })
  if (codes.length === 0) return html``
  const links = codes.map((each, i) => html`${i > 0 && ', '}<a href="#problem-${each}">${each}</a>`)
  return html`<details><summary>Problems (${codes.length})</summary><p>${links}</p></details>`
}

function exampleBlocks(operation: Operation): Html[] {
  const textOf = (example: unknown) =>
    typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return successes(operation).flatMap(([status, { content = {} }]) =>
    Object.entries(content)
      .filter(([, { example }]) => example !== undefined)
      .map(([type, { example }]) => code(textOf(example), `${status} ${type}`)),
  )
}

/** The call as a shell command that uses the variables GLEANER_URL and GLEANER_API_KEY. */
export function curlOf({ method, path, operation }: DocumentedOperation): string {
  const { parameters, requestBody, security } = operation
  const streams = 'text/event-stream' in (answerOf(operation, '200')?.content ?? {})
  const place = path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const inQuery = parameters.filter((p) => p.in === 'query' && p.example !== undefined)
  const query = inQuery
    .map((p) => `${p.name}=${encodeURIComponent(String(p.example)).replaceAll('%2C', ',')}`)
    .join('&')
  const url = `"$GLEANER_URL${place}${query && `?${query}`}"`
  const lines = [`curl -s${streams ? 'N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${url}`]
  const scheme = security[0]
  if (scheme) {
    const key = 'operatorKey' in scheme ? '$OPERATOR_KEY' : '$GLEANER_API_KEY'
    lines.push(`-H "Authorization: Bearer ${key}"`)
  }
  const example = requestBody?.content['application/json']?.example
  if (example !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

/** A row of the table. */
type Field = {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string
}

const list = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value : [])

/** The fields of an object's schema; nested ones follow their parent as `parent.name`. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([key, property]) => {
    const name = `${prefix}${key}`
    const inner = property.properties
      ? fieldsOf(property, `${name}.`)
      : fieldsOf((property.items ?? {}) as Schema, `${name}[].`)
    return [{ name, schema: property, required: required.has(key) }, ...inner]
  })
}

/** @param kinds required fields are marked in requests but not in responses */
export function fieldTable(fields: readonly Field[], kinds: 'request' | 'answer'): Html {
  if (fields.length === 0) return new Html('')
  const rows = fields.map(({ name, schema, required, description = schema.description }) => {
    const must = kinds === 'request' && required && html` <span class="badge bad">required</span>`
    return html`<tr><th scope="row"><code>${name}</code>${must}</th><td><span class="hint">${typeOf(schema)}</span>${description !== undefined && html`<br>${words(String(description))}`}${bounds(schema)}${namesOf(schema)}</td></tr>`
  })
  return html`<div class="scroll"><table><tbody>${rows}</tbody></table></div>`
}

/** The type of a schema in a few words. A component is a link to its description. */
function typeOf(schema: Schema): Html {
  const { $ref, type, enum: values, items, format } = schema
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  // An object that extends another one is shown under the name of its base.
  const [base] = list(schema.allOf)
  if (base) return typeOf(base)
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (Array.isArray(values)) return html`${values.map((value) => JSON.stringify(value)).join(' | ')}`
  const branches = list(schema.anyOf)
  if (branches.length > 0)
    return html`${branches.map((branch, i) => html`${i > 0 && ' | '}${typeOf(branch)}`)}`
  if (type === 'array') return html`array of ${typeOf((items ?? {}) as Schema)}`
  if (Array.isArray(type)) return html`${type.join(' | ')}`
  return html`${String(type ?? 'any')}${format !== undefined && ` (${format})`}`
}

/** The values of a field that have names. */
function namesOf(schema: Schema): Html | false {
  const named = list(schema['x-names'])
  if (named.length === 0) return false
  const each = named.map(
    ({ const: value, title }, i) => html`${i > 0 && ', '}<code>${String(value)}</code> ${String(title)}`,
  )
  return html`<br><span class="hint">${each}</span>`
}

function bounds(schema: Schema): Html {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  const parts = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' entries'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((each) => each !== undefined)
  return parts.length === 0 ? new Html('') : html` <span class="hint">${parts.join(', ')}</span>`
}

function range(from: unknown, to: unknown, unit: string): string | undefined {
  if (from === undefined && to === undefined) return undefined
  if (to === undefined) return Number(from) === 0 ? undefined : `${from} or more${unit}`
  return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`
}
