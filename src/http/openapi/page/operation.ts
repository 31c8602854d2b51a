/**
 * One call on the page: what it does, its parameters, its answers, and a command to try it.
 *
 * @module
 */

import { code, type Html, html, paragraphs, words } from '../../../html.ts'
import type { Schema } from '../components.ts'
import type { Answer, Operation as Described } from '../document.ts'
import { type Field, fieldsOf, fieldTable, typeOf } from './fields.ts'

/** An operation with its answers in place of references to them. */
export type Operation = Omit<Described, 'responses'> & {
  readonly responses: Readonly<Record<string, Answer>>
}
/** A call of the API with its method and path. */
export type Call = { readonly method: string; readonly path: string; readonly operation: Operation }

/** The badge of a method. */
export const badge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** The call's section. */
export function callSection({ method, path, operation }: Call): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
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
${problemLinks(responses)}
</div>
<div class="try">
${code(curlOf({ method, path, operation }), 'Try it')}
${exampleBlocks(operation)}
</div>
</section>`
}

const part = (title: string, fields: readonly Field[]): Html =>
  html`${fields.length > 0 && html`<h4>${title}</h4>${fieldTable(fields, 'request')}`}`

const successes = ({ responses }: Operation) =>
  Object.entries(responses).filter(([, { content }]) => !content || !('application/problem+json' in content))

function answerTable(operation: Operation): Html {
  const rows = successes(operation).map(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(
      ([type, { schema }]) =>
        html`<br><span class="type">${type}: ${nameOf(schema)}</span>${fieldTable(fieldsOf(schema), 'answer')}`,
    )
    return html`<tr><th scope="row"><code>${status}</code></th><td>${words(description)}${types}</td></tr>`
  })
  return html`<h4>Answers</h4><div class="scroll"><table class="fields"><tbody>${rows}</tbody></table></div>`
}

/** The name of a schema, or of the one that it extends. */
const nameOf = (schema: Schema): Html =>
  typeOf((schema.allOf as readonly Schema[] | undefined)?.[0] ?? schema)

/** The schema of a task's result. */
function resultTable({ responses }: Operation): Html {
  const schema = responses['200']?.content?.['application/json']?.schema
  const more = (schema?.allOf as readonly Schema[] | undefined)?.[1]
  const result = (more?.properties as Record<string, Schema> | undefined)?.result
  const [first] = (result?.anyOf ?? []) as readonly Schema[]
  return html`${first && html`<p>Its <code>result</code> is ${typeOf(first)}.</p>`}`
}

function problemLinks(responses: Operation['responses']): Html {
  const codes = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  )
  if (codes.length === 0) return html``
  const links = codes.map((each, i) => html`${i > 0 && ', '}<a href="#problem-${each}">${each}</a>`)
  return html`<details class="problems"><summary>Problems (${codes.length})</summary><p>${links}</p></details>`
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

/** The call as a shell command that uses the variables URL and KEY. */
export function curlOf({ method, path, operation }: Call): string {
  const { parameters, requestBody, responses, security } = operation
  const streams = 'text/event-stream' in (responses['200']?.content ?? {})
  const place = path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const asked = parameters.filter((p) => p.in === 'query' && p.example !== undefined)
  const query = asked
    .map((p) => `${p.name}=${encodeURIComponent(String(p.example)).replaceAll('%2C', ',')}`)
    .join('&')
  const url = `"$URL${place}${query && `?${query}`}"`
  const lines = [`curl -s${streams ? 'N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${url}`]
  const scheme = security[0]
  if (scheme) {
    const key = 'operatorKey' in scheme ? '$OPERATOR_KEY' : '$KEY'
    lines.push(`-H "Authorization: Bearer ${key}"`)
  }
  const example = requestBody?.content['application/json']?.example
  if (example !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`)
  }
  return lines.join(' \\\n  ')
}
