/**
 * The status of the service: a page, JSON for programs, and badges for other sites.
 *
 * @module
 */
import type { Health } from '../../domain/health/standing.ts'
import { answer } from '../../http/answers.ts'
import { existing, invalidAt } from '../../http/problems.ts'
import { seeOther } from '../redirect.ts'
import { openRoute } from '../route.ts'
import type { PageRequest } from '../visitor.ts'
import { admitProgram, programHeaders, visitorOfStatus } from './access.ts'
import { badgeSvg } from './badge.ts'
import type { Status } from './board.ts'
import { statusJson } from './json.ts'
import { statusPage } from './page.ts'

export const statusRoutes = [
  openRoute('GET', '/status', show),
  openRoute('GET', '/status/', ({ base, url }) => seeOther(`${base}/status${url.search}`)),
  openRoute('GET', '/status/:image', showBadge),
]

/** How long programs and browsers may reuse an answer, in seconds. */
const JSON_S = 10
const BADGE_S = 60

async function show(request: PageRequest): Promise<Response> {
  const format = request.url.searchParams.get('format')
  if (format === 'json') {
    await admitProgram(request)
    return answer(statusJson(await request.deps.status.read()), 200, programHeaders(request, JSON_S))
  }
  if (format !== null && format !== 'html') {
    await admitProgram(request)
    throw invalidAt('/format', 'invalid', 'must be html or json')
  }
  return statusPage(request, await visitorOfStatus(request), await request.deps.status.read())
}

/** `badge.svg`: the worst state of all tasks; `forum.svg`: that of a source; `forum.posts.svg`: the state of a task. */
async function showBadge(request: PageRequest): Promise<Response> {
  const [, name] = /^(.+)\.svg$/.exec(request.call.params.image ?? '') ?? []
  await admitProgram(request)
  const status = await request.deps.status.read()
  const [label, health] = existing(
    name === 'badge' ? (['sources', status.health] as const) : labelled(status, name),
  )
  return new Response(badgeSvg(label, health), {
    headers: { 'content-type': 'image/svg+xml; charset=utf-8', ...programHeaders(request, BADGE_S) },
  })
}

function labelled({ sources }: Status, name: string | undefined): readonly [string, Health] | undefined {
  const source = sources.find((each) => each.source.name === name)
  if (source) return [source.source.title, source.health]
  const task = sources.flatMap(({ tasks }) => tasks).find((each) => each.task.key === name)
  return task && [task.task.declaration.title, task.health]
}
