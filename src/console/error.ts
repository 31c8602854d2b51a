/**
 * Error pages.
 *
 * @module
 */
import { html } from '../html.ts'
import { PROBLEMS, type Problem, problemHeaders } from '../http/problems.ts'
import { baseOf } from './frame.ts'
import { plainPage } from './layout.ts'
import { STRICT } from './route.ts'

/** A page that explains an error and the next step. */
export function errorDocument(publicUrl: string, problem: Problem, requestId: string): Response {
  const { code, status } = problem
  const base = baseOf(publicUrl)
  const text = code === 'not-found' ? 'This page does not exist, or you cannot see it.' : problem.message
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
  for (const [name, value] of problemHeaders(problem, { ...STRICT, 'x-request-id': requestId }))
    answer.headers.set(name, value)
  return answer
}
