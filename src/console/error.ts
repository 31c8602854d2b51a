/**
 * Errors as pages.
 *
 * @module
 */
import { html } from '../html.ts'
import { PROBLEMS, type Problem } from '../http/problems.ts'
import { baseOf } from './frame.ts'
import { plainPage } from './layout.ts'
import { STRICT } from './route.ts'

/** A page with what happened and what to do. */
export function errorDocument(publicUrl: string, problem: Problem, requestId: string): Response {
  const { code, status, options } = problem
  const base = baseOf(publicUrl)
  const text = code === 'not-found' ? 'There is nothing here, or you cannot see it.' : problem.message
  const { title } = PROBLEMS[code]
  const answer = plainPage(base, {
    title,
    status,
    body: html`<section class="card">
<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${base}/console">Go to the console</a></p>
<p class="hint">Status ${status}, request <code>${requestId}</code></p>
</section>`,
  })
  const headers = { ...STRICT, ...options.headers, 'x-request-id': requestId }
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
  const retry = options.extras?.retry_after_s
  if (retry !== undefined) answer.headers.set('retry-after', String(retry))
  return answer
}
