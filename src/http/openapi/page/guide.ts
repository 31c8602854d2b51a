/**
 * The sections of the page other than the calls: getting started, the states of a run, all problems, all events.
 *
 * @module
 */
import { EVENT_NAMES, EVENT_TYPES, streamOf } from '../../../domain/events.ts'
import { type Html, html, words } from '../../../html.ts'
import { PROBLEMS } from '../../problems.ts'
import type { Schema } from '../components.ts'
import { code, curlOf, type DocumentedOperation, fieldsOf, fieldTable } from './operation.ts'

/** @param first a task's call for the first run; undefined if no plugin was loaded */
export function beginning(publicUrl: string, first: DocumentedOperation | undefined): Html {
  const shell = `export GLEANER_URL=${publicUrl}\nexport GLEANER_API_KEY=gln_…`
  return html`<section class="call" id="begin">
<div class="text">
<h2>Get started</h2>
<p>POST a task, get a run, read its items. Send your API key with every call as
<code>Authorization: Bearer &lt;API_KEY&gt;</code>. Requests and answers are JSON.</p>
<p>A task call is answered <code>202</code> with the run. Poll the run, let <code>wait</code> hold the answer until it ends, or
stream its events. With <code>"_run": {"async": false}</code> in the body, the call itself is answered with the ended run.</p>
<p>Send an <code>Idempotency-Key</code> with each call that starts a run: a repeat gets the same run, and nothing is charged
twice. A run that does not succeed is refunded in full.</p>
<div class="scroll"><table><tbody>
<tr><th scope="row"><code>queued</code> <code>running</code> <code>cancelling</code></th><td>in progress: poll again</td></tr>
<tr><th scope="row"><code>succeeded</code></th><td>the source was read; zero items is a success too</td></tr>
<tr><th scope="row"><code>failed</code></th><td>the source or the input is the reason: see <code>error.code</code></td></tr>
<tr><th scope="row"><code>errored</code></th><td>our fault</td></tr>
<tr><th scope="row"><code>cancelled</code></th><td>you cancelled it</td></tr>
<tr><th scope="row"><code>expired</code></th><td>not started, or not finished, in time</td></tr>
</tbody></table></div>
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1) and <a href="asyncapi.json">asyncapi.json</a>
(AsyncAPI 3.0).</p>
</div>
<div class="try">${code(shell, 'Shell')}${first && code(curlOf(first), 'Start your first run')}${code('export RUN_ID=run_…\ncurl -s "$GLEANER_URL/v1/runs/$RUN_ID?wait=30" \\\n  -H "Authorization: Bearer $GLEANER_API_KEY"', 'Get its result')}</div>
</section>`
}

/** The schemas that several calls share. */
export function schemaSection(schemas: Readonly<Record<string, Schema>>): Html {
  const each = Object.entries(schemas).map(
    ([
      name,
      schema,
    ]) => html`<section class="item" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>
${schema.description !== undefined && html`<p>${words(String(schema.description))}</p>`}${fieldTable(fieldsOf(schema), 'answer')}</section>`,
  )
  return html`<section class="guide" id="schemas"><h2 class="group">Objects</h2>${each}</section>`
}

/** All codes of problems. */
export function problemSection(): Html {
  const rows = Object.entries(PROBLEMS).map(
    ([name, { status, title, detail }]) =>
      html`<tr id="problem-${name}"><th scope="row"><code>${name}</code></th><td>${status}</td><td>${title}.<br><span class="hint">${detail}</span></td></tr>`,
  )
  return html`<section class="guide" id="problems"><h2 class="group">Problems</h2>
<p>Errors are <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable: use it in your program.
<code>detail</code> says what is wrong and what to do; <code>errors</code> names each invalid field.</p>
<div class="scroll"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${rows}</tbody></table></div></section>`
}

/** All event types. */
export function eventSection(): Html {
  const each = EVENT_NAMES.map((name) => {
    const { v, about, schema } = EVENT_TYPES[name]
    return html`<details id="event-${name}"><summary><code>${name}</code> ${about}</summary>
<p class="hint">Streams: <code>${streamOf(name)}-…</code>. Version ${v}.</p>${fieldTable(fieldsOf(schema as unknown as Schema), 'answer')}</details>`
  })
  return html`<section class="guide" id="event-types"><h2 class="group">Event types</h2>
<p><a href="#listEvents">The feed</a> and <a href="#streamEvents">the stream</a> send these events as CloudEvents 1.0. The
tables list the fields of <code>data</code>.</p>${each}</section>`
}
