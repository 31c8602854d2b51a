/**
 * The documentation page, generated from the OpenAPI document. Its style and script are inlined, so it loads nothing
 * and works offline.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Html, html, Html as Raw } from '../../../html.ts'
import { BASE_STYLE, COPY_TEXT } from '../../../page/assets.ts'
import { basePath, documentOf } from '../../../page/document.ts'
import type { OpenApi } from '../document.ts'
import { beginning, eventSection, problemSection, schemaSection } from './guide.ts'
import { badge, callSection, type DocumentedOperation } from './operation.ts'

const read = (...files: readonly URL[]): string => files.map((file) => readFileSync(file, 'utf8')).join('')
const style = read(BASE_STYLE, new URL('./style.css', import.meta.url))
const script = read(COPY_TEXT, new URL('./script.js', import.meta.url))

/** @returns the page, and headers that forbid it to load anything else */
export function docsPage(api: OpenApi): { body: string; headers: Readonly<Record<string, string>> } {
  return {
    body: page(api),
    headers: {
      'content-security-policy': [
        "default-src 'none'",
        `style-src '${hashed(style)}'`,
        `script-src '${hashed(script)}'`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}

const hashed = (text: string): string => `sha256-${hash('sha256', text, 'base64')}`

function page(api: OpenApi): string {
  const groups = groupsOf(api)
  const first = groups.flatMap(([, calls]) => calls).find(isTask)
  const url = api.servers[0]?.url ?? ''
  const body = html`<body>
<header class="rail"><details class="menu" open><summary class="brand">Gleaner <span class="hint">${String(api.info.version)}</span></summary>
<nav aria-label="Contents"><input type="search" id="filter" placeholder="Filter" aria-label="Filter calls">
<p class="hint" id="no-match" role="status" hidden>No call matches.</p>
<ul><li><a href="${basePath(url)}/console">Console</a></li><li><a href="#begin">Get started</a></li></ul>
${groups.map(([tag, calls]) => navGroup(tag, calls))}
<h2>Reference</h2><ul><li><a href="#schemas">Objects</a></li><li><a href="#event-types">Event types</a></li><li><a href="#problems">Problems</a></li></ul>
</nav></details></header>
<main>
${beginning(url, first)}
${groups.map(([tag, calls]) => html`<h2 class="group" id="${anchor(tag)}">${tag}</h2>${calls.map((call) => callSection(call, api.components.responses))}`)}
${schemaSection(api.components.schemas)}
${eventSection()}
${problemSection()}
</main>
<script>${new Raw(script)}</script>
</body>`
  return documentOf('Gleaner API', html`<style>${new Raw(style)}</style>`, body)
}

/** The groups in the order of their first calls. Groups of tasks come first. */
function groupsOf(api: OpenApi): [string, DocumentedOperation[]][] {
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = Map.groupBy(calls, ({ operation }) => operation.tags[0] ?? '')
  return [...groups].sort(([, a], [, b]) => Number(b.some(isTask)) - Number(a.some(isTask)))
}

const isTask = ({ operation }: DocumentedOperation): boolean => 'x-task-key' in operation

const anchor = (tag: string): string => `group-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

const navGroup = (tag: string, calls: readonly DocumentedOperation[]): Html =>
  html`<h2><a href="#${anchor(tag)}">${tag}</a></h2><ul>${calls.map(
    ({ method, path, operation }) =>
      html`<li data-words="${`${method} ${path} ${operation.summary}`.toLowerCase()}"><a href="#${operation.operationId}">${badge(method)}<span>${operation.summary}</span></a></li>`,
  )}</ul>`
